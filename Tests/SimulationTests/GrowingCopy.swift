import Filling
import Fuse
import SystemPackage

@testable import FeedMount

/// A program that copies a file without a length, in one of the ways in which programs ask the kernel.
///
/// One thread alone runs a simulation.
final class GrowingCopy: @unchecked Sendable {
  enum Way: CaseIterable {
    /// It reads until a read brings nothing, as `cat` and `cp` do.
    case toTheEnd
    /// The kernel fills its pages, as for `sendfile` and mappings. It ends at the size that it has.
    case byPages
    /// It asks for the size behind its open, and copies as many bytes, as `rsync` does.
    case byItsSize

    var program: String { self == .byItsSize ? "rsync" : "cat" }
  }

  let way: Way
  let name: String
  let resource: Resource
  private let thread: Int32
  private unowned let simulation: Simulation
  private var node = NodeID.root
  private var file: (any OpenFile)?
  private var bytes: [UInt8] = []
  private var size: Int?
  private var wasSentBack = false
  private var cancel: (() -> Void)?
  private(set) var isWaiting = false
  private(set) var isOver = false
  /// The error with which it ended.
  private(set) var error: Errno?

  init(_ way: Way, of name: String, _ resource: Resource, in simulation: Simulation) {
    self.way = way
    self.name = name
    self.resource = resource
    self.simulation = simulation
    simulation.lastThread += 1
    thread = simulation.lastThread
  }

  func open(anew: Bool = false) {
    guard let mount = simulation.mount else { return }
    do throws(Errno) {
      node = try mount.kernel.node(of: name, in: InodeSpace.whole.root, mount.tree, anew: anew)
      let version = try mount.live.open(InodeSpace.whole.number(of: node))
      isWaiting = true
      let request = DirectRequest<any OpenFile>(by: way.program, on: thread) { [weak self] answer in
        self?.opened(answer)
      }
      cancel = request.cancel
      mount.feed.opened(version, by: way.program)
      mount.live.served(version)
      version.filler.prove(
        KernelOpen(reply: OpenReply(request), version: version, live: mount.live))
    } catch {
      end(error)
    }
  }

  private func opened(_ answer: Result<any OpenFile, Errno>) {
    isWaiting = false
    switch answer {
    case .success(let file):
      self.file = file
      if way == .byItsSize { size = (try? simulation.mount?.tree.attributes(of: node))?.size }
    // Linux looks the name up once more.
    case .failure(.staleNFSFileHandle) where !wasSentBack:
      wasSentBack = true
      open(anew: true)
    case .failure(let error): end(error)
    }
  }

  /// Reads on, at most `count` bytes.
  func read(_ count: Int) {
    guard let file, !isWaiting, !isOver else { return }
    var range = bytes.count..<bytes.count + count
    if let end = way == .byPages ? kernelSize : size {
      guard bytes.count < end else { return complete() }
      let pages = (end + Self.page - 1) / Self.page * Self.page
      range = range.lowerBound..<min(range.upperBound, way == .byPages ? pages : end)
    }
    isWaiting = true
    let request = DirectRequest<[UInt8]>(by: way.program, on: thread) { [weak self] answer in
      self?.read(answer)
    }
    cancel = request.cancel
    file.read(range, reply: ReadReply(request, hasOwner: way != .byPages))
  }

  private func read(_ answer: Result<[UInt8], Errno>) {
    isWaiting = false
    switch answer {
    case .success(let found):
      // The kernel gives nothing behind the size that it has by then.
      let taken = way == .byPages ? found.prefix(max(0, kernelSize - bytes.count)) : found[...]
      bytes += taken
      if taken.isEmpty { complete() }
    case .failure(let error): end(error)
    }
  }

  func interrupt() {
    if isWaiting { cancel?() }
  }

  private func complete() {
    if !resource.versions.contains(where: { $0.bytes == bytes }) {
      simulation.complain("\(way) copies \(bytes.count) bytes of \(name), without an error")
    }
    end(nil)
  }

  private func end(_ error: Errno?) {
    self.error = error
    isOver = true
    file?.close()
    file = nil
  }

  private var kernelSize: Int { simulation.mount?.kernel.sizes[node.number] ?? 0 }
  private static let page = 4096
}
