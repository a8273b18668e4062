import Dispatch
import Fuse
import Storage
import SystemPackage

/// One open descriptor of a file that was made when it was opened.
final class SpooledFile: OpenFile {
  /// For what lies on a disk, which may hang: no thread that serves the mount waits for it.
  private static let queue = DispatchQueue(label: "feedfs.spool")

  private let content: Spool

  init(_ content: Spool) {
    self.content = content
  }

  func read(_ range: Range<Int>, reply: ReadReply) {
    guard content.isOnDisk else { return answer(range, reply) }
    Self.queue.async { [self] in answer(range, reply) }
  }

  func close() {}

  private func answer(_ range: Range<Int>, _ reply: ReadReply) {
    do throws(Errno) {
      let part = try content.read(range)
      _ = reply.bytes(part.span.bytes)
    } catch {
      reply.fail(error)
    }
  }
}
