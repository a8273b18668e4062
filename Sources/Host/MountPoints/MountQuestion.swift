import CLinux
import Glibc
package import SystemPackage

/// A system call on a mount that may never return, such as a read.
///
/// Once a daemon has taken a request, the process that waits for the answer cannot be ended. So a
/// child process makes the system call and waits. The program runs itself as this child, and leaves
/// the child behind after the timeout.
package struct MountQuestion: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// The bytes of a file.
    case file
    /// One byte of a file, at the offset `name`. If the byte must be fetched first, the answer
    /// takes as long as the origin needs.
    case byte
    /// The value of an extended attribute, `name`.
    case attribute
    /// The target of a symbolic link.
    case link
    /// The time of a directory's last change, in seconds since 1970, as digits.
    case change
  }

  package enum Failure: Error, Hashable, Sendable {
    /// No whole answer came in time.
    case silence
    case refused(Errno)

    /// True if no process serves the mount any more.
    package var isOfTheDead: Bool {
      [.refused(.socketNotConnected), .refused(.connectionAbort)].contains(self)
    }
  }

  /// The timeout of an answer that needs no fetch.
  package static let timeout: Duration = .seconds(3)
  /// The argument that tells the program that it is the child that waits.
  private static let flag = "--ask-the-kernel"

  private let kind: Kind
  private let path: FilePath
  private let name: String

  package init(_ kind: Kind, _ name: String = "", at path: FilePath) {
    self.kind = kind
    self.path = path
    self.name = name
  }

  /// Returns the answer. Waits for the answer until `deadline`.
  package func answer(
    by deadline: ContinuousClock.Instant = .now + timeout
  ) throws(Failure) -> [UInt8] {
    try answer { ContinuousClock.now.duration(to: deadline) }
  }

  /// Returns the answer. Waits for the answer as long as `isWanted` returns true. Calls `isWanted`
  /// several times a second.
  package func answer(while isWanted: () -> Bool) throws(Failure) -> [UInt8] {
    try answer { isWanted() ? .milliseconds(200) : .zero }
  }

  /// - Parameter rest: called again and again. Returns the time to wait until its next call; zero
  ///   when the time is over.
  private func answer(within rest: () -> Duration) throws(Failure) -> [UInt8] {
    let process: Int32
    let answer: Pipe
    do {
      answer = try Pipe()
      defer { try? answer.writeEnd.close() }
      var program = Program("/proc/self/exe", Self.flag, kind.rawValue, path.string, name)
      program.name = "feedfs"
      program.output = answer.writeEnd
      do {
        process = try program.start()
      } catch {
        try? answer.readEnd.close()
        throw error
      }
    } catch {
      throw .refused(error as? Errno ?? .ioError)
    }
    defer { try? answer.readEnd.close() }
    guard let bytes = Self.all(from: answer.readEnd, within: rest) else {
      kill(process, SIGKILL)
      // `waitpid` must not block here, because SIGKILL may not end the child at once.
      var status: Int32 = 0
      waitpid(process, &status, WNOHANG)
      throw .silence
    }
    _ = Program.end(of: process)
    guard let outcome = bytes.first else { throw .refused(.ioError) }
    guard outcome == 0 else { throw .refused(Errno(rawValue: Int32(outcome))) }
    return Array(bytes.dropFirst())
  }

  /// If `arguments` make this process the child that waits, finds the answer, writes it to the
  /// standard output, and ends the process. Otherwise returns.
  package static func answerIfAsked(_ arguments: [String]) {
    guard arguments.count == 5, arguments[1] == flag, let kind = Kind(rawValue: arguments[2]) else {
      return
    }
    // If the caller is killed, this child must end too.
    feedfs_end_with_parent()
    let output = FileDescriptor.standardOutput
    do throws(Errno) {
      let answer = try look(kind, arguments[4], at: arguments[3])
      _ = try? output.writeAll([0] + answer)
    } catch {
      _ = try? output.writeAll([UInt8(truncatingIfNeeded: error.rawValue)])
    }
    _exit(0)
  }

  // MARK: Private

  /// Finds the answer; runs in the child.
  private static func look(
    _ kind: Kind, _ name: String, at path: String
  ) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    switch kind {
    case .file:
      do {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        return try file.closeAfter { try file.readAll() }
      } catch {
        throw error as? Errno ?? .ioError
      }
    case .byte:
      do {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        return try file.closeAfter {
          let count = try withUnsafeMutableBytes(of: &bytes[0]) {
            try file.read(fromAbsoluteOffset: Int64(name) ?? 0, into: $0)
          }
          return Array(bytes[..<count])
        }
      } catch {
        throw error as? Errno ?? .ioError
      }
    case .attribute:
      let count = getxattr(path, name, &bytes, bytes.count)
      guard count >= 0 else { throw Errno(rawValue: Glibc.errno) }
      return Array(bytes[..<count])
    case .link:
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(path, &target, target.count)
      guard count >= 0 else { throw Errno(rawValue: Glibc.errno) }
      return target[..<count].map { UInt8(bitPattern: $0) }
    case .change:
      var status = stat()
      guard stat(path, &status) == 0 else { throw Errno(rawValue: Glibc.errno) }
      return Array("\(status.st_mtim.tv_sec)".utf8)
    }
  }

  /// Reads all bytes until the other end is closed. Returns nil on an error, or if the time is over
  /// before that.
  private static func all(from pipe: FileDescriptor, within rest: () -> Duration) -> [UInt8]? {
    var all: [UInt8] = []
    while true {
      let time = max(.zero, rest())
      var wanted = pollfd(fd: pipe.rawValue, events: Int16(POLLIN), revents: 0)
      let found = poll(&wanted, 1, Int32(time / .milliseconds(1)))
      if found < 0, Glibc.errno == EINTR { continue }
      if found == 0, time > .zero { continue }
      guard found > 0 else { return nil }
      guard let piece = try? pipe.readPiece() else { return nil }
      if piece.isEmpty { return all }
      all += piece
    }
  }
}
