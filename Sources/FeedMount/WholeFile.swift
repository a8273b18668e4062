import Fuse

/// One open descriptor of a small file whose content is that of the time of the open.
final class WholeFile: OpenFile {
  private let content: [UInt8]

  init(_ content: [UInt8]) {
    self.content = content
  }

  func read(_ range: Range<Int>, reply: ReadReply) {
    let part = Array(content[range.clamped(to: 0..<content.count)])
    _ = reply.bytes(part.span.bytes)
  }

  func close() {}
}
