import Blocks
import Fuse
import SystemPackage
import TestSupport

/// An open file of a direct drive.
final class DirectFile: OpenedFile {
  private let kernel: DirectKernel
  private let node: NodeID
  private let file: any OpenFile

  init(_ node: NodeID, of kernel: DirectKernel) throws {
    self.node = node
    self.kernel = kernel
    file = try kernel.open(node)
  }

  deinit {
    file.close()
  }

  /// Reads in pieces, as the kernel does.
  func read(_ range: Range<Int>) throws -> [UInt8] {
    var all: [UInt8] = []
    while all.count < range.count {
      let start = range.lowerBound + all.count
      let piece = start..<min(start + DirectKernel.maxBytes, range.upperBound)
      let bytes: [UInt8]
      do {
        bytes = try self.piece(piece).get("read \(piece)")
      } catch let error as ReadFailure {
        // As read(2): an error behind the first bytes is for the next call.
        guard all.isEmpty else { return all }
        throw error
      }
      all += bytes
      if bytes.count < piece.count { break }
    }
    return all
  }

  /// Asks for a piece; the answer may come at any time.
  func piece(_ range: Range<Int>) -> Awaited<[UInt8]> {
    let awaited = Awaited<[UInt8]>()
    file.read(range, reply: ReadReply(DirectRequest(by: "reader") { awaited.answered($0) }))
    return awaited
  }

  func facts() throws -> FileFacts {
    try kernel.facts(of: node)
  }
}

/// An open folder of a direct drive. It is asked for few names at a time, as the kernel does it.
final class DirectFolder: OpenedFolder {
  /// The most names that are asked for at once.
  private let most: Int
  private let kernel: DirectKernel
  private let node: NodeID
  private var cookie = 0
  private var names: ArraySlice<String> = []

  init(_ node: NodeID, of kernel: DirectKernel, most: Int = 20) {
    self.most = most
    self.node = node
    self.kernel = kernel
  }

  func next(_ count: Int) throws -> [String] {
    var taken: [String] = []
    while taken.count < count {
      if names.isEmpty {
        let items = try failing { () throws(Errno) in
          try kernel.fileSystem.items(of: node, after: cookie, limit: most)
        }
        guard let last = items.last else { return taken }
        cookie = last.cookie
        names = items.map(\.name)[...]
      }
      let part = names.prefix(count - taken.count)
      taken += part
      names = names.dropFirst(part.count)
    }
    return taken
  }
}
