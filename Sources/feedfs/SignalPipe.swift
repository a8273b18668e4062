import FeedMount
import Glibc
import Synchronization
import SystemPackage

/// The signals that this program takes by itself, each as a byte in a pipe that is its number; one for a
/// process.
struct SignalPipe: Sendable {
  /// Where the handler writes; a handler may do no more.
  private static let writeEnd = Atomic<Int32>(-1)

  let readEnd: FileDescriptor

  /// `numbers` come here from now on; that nobody reads what is written is an error of the write.
  init(_ numbers: [Int32]) throws(MountError) {
    do {
      let pipe = try Pipe()
      Self.writeEnd.store(pipe.writeEnd.rawValue, ordering: .relaxed)
      readEnd = pipe.readEnd
    } catch {
      throw MountError(.unavailable, "no pipe can be made: \(error)")
    }
    for number in numbers {
      signal(number) { number in
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.writeEnd.load(ordering: .relaxed), &byte, 1)
      }
    }
    signal(SIGPIPE, SIG_IGN)
  }
}
