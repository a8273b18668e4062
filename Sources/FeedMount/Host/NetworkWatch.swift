import CLinux
import Dispatch
import Glibc
import NIOConcurrencyHelpers
import SystemPackage

/// Tells when this computer has other addresses, routes or name servers.
///
/// The kernel says when something changed (rtnetlink(7), inotify(7)); whether it matters shows the comparison
/// with what was known, since routers renew leases and containers come and go. Safe from any thread.
final class NetworkWatch: Sendable {
  private let state: NIOLockedValueBox<NetworkFacts>
  private let facts: @Sendable () -> NetworkFacts
  private let changed: @Sendable () -> Void
  /// Closed when nothing is to be told any more.
  private let ending: NIOLockedValueBox<Int32?>

  /// Begins to watch. Where the kernel refuses, nothing is ever told.
  ///
  /// - Parameters:
  ///   - facts: what is so now; called on a queue of the watch's own.
  ///   - changed: called there after a change, a few times a second at most.
  init(
    facts: @escaping @Sendable () -> NetworkFacts = NetworkFacts.now,
    changed: @escaping @Sendable () -> Void
  ) {
    self.facts = facts
    self.changed = changed
    state = NIOLockedValueBox(facts())
    guard let pipe = try? Pipe() else {
      ending = NIOLockedValueBox(nil)
      return
    }
    ending = NIOLockedValueBox(pipe.writeEnd.rawValue)
    let ends = pipe.readEnd.rawValue
    DispatchQueue(label: "feedfs.network").async { [weak self] in
      let heard = [feedfs_network_changes(), Self.filesWatch()].filter { $0 >= 0 }
      while Self.hears(heard, until: ends), let self { self.look() }
      for descriptor in heard + [ends] { close(descriptor) }
    }
  }

  deinit { end() }

  /// Nothing is told after this, but what is just being told.
  func end() {
    let descriptor = ending.withLockedValue { ending in
      defer { ending = nil }
      return ending
    }
    if let descriptor { close(descriptor) }
  }

  /// Compares what is so now with what was.
  func look() {
    let now = facts()
    let isOther = state.withLockedValue { known in
      defer { known = now }
      return known != now
    }
    if isOther { changed() }
  }

  /// Waits until something was changed, and all that belongs to it; false: it is over.
  private static func hears(_ descriptors: [Int32], until ends: Int32) -> Bool {
    var polled = ([ends] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&polled, nfds_t(polled.count), -1) < 0 {
      guard errno == EINTR else { return false }
    }
    guard polled[0].revents == 0, poll(&polled, 1, settling) <= 0 else { return false }
    descriptors.forEach(drain)
    return true
  }

  /// Throws away all that was said: the comparison tells more. Lost messages (ENOBUFS) are news, too.
  private static func drain(_ descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    while read(descriptor, &bytes, bytes.count) > 0 || errno == ENOBUFS {}
  }

  /// Watches the folder of the resolver's file, and of what that is a link to.
  private static func filesWatch() -> Int32 {
    let watch = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard watch >= 0 else { return -1 }
    let target = realpath(NetworkFacts.resolverFile, nil)
    defer { free(target) }
    let files = [NetworkFacts.resolverFile] + (target.map { [String(cString: $0)] } ?? [])
    for folder in Set(files.map { String($0.prefix(upTo: $0.lastIndex(of: "/") ?? $0.startIndex)) })
    {
      inotify_add_watch(
        watch, folder, UInt32(IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE))
    }
    return watch
  }

  /// A change of network is many changes within some tens of milliseconds.
  private static let settling: Int32 = 300  // milliseconds
}
