import CFuse
import Glibc
import Synchronization

/// The object to which libfuse's `userdata` points, with everything that a callback needs. Safe
/// from any thread.
final class SessionContext: Sendable {
  /// Seconds for which the kernel is allowed to trust a name, unless a notice says otherwise. A
  /// name always stands for the same entry. If the entry's version is stale, `open` answers with
  /// ESTALE, and the kernel looks the name up again.
  private static let nameValidity = 60.0

  let fileSystem: any ReadOnlyFileSystem
  let parked = ParkedRequests(limit: Background.granted / 2)
  let passthrough = Passthrough()
  let names = CallerNames()
  let listing = ListingThreads()
  private let lastNumber = Atomic<UInt>(0)
  private let owner = getuid()
  private let group = getgid()
  private let recheck: SignalRecheck

  init(_ fileSystem: any ReadOnlyFileSystem) {
    self.fileSystem = fileSystem
    recheck = SignalRecheck(parked)
  }

  /// Returns a number that no other request has. It is never 0.
  func newNumber() -> UInt {
    lastNumber.add(1, ordering: .relaxed).newValue
  }

  func interrupted(_ number: UInt) {
    if parked.interrupted(number) { recheck.watch() }
  }

  func status(of attributes: Attributes) -> stat {
    stat(attributes, owner: owner, group: group)
  }

  func entry(for attributes: Attributes) -> fuse_entry_param {
    var entry = fuse_entry_param()
    let passesThrough = attributes.passesThrough && passthrough.isOn
    entry.ino = KernelNode(attributes.inode, passesThrough: passesThrough).number
    entry.attr = status(of: attributes)
    entry.attr_timeout = attributes.validity.seconds
    entry.entry_timeout = Self.nameValidity
    return entry
  }
}
