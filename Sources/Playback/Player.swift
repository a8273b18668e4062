import Dispatch
import Locks
package import SystemPackage

/// mpv, at the other end of a socket.
///
/// Safe from any thread. Events are handled on `order`, one after the other. So mpv gets all orders
/// in the sequence in which they were decided.
package final class Player: Sendable {
  private let socket: FileDescriptor
  private let queue: Locked<PlayQueue>
  private let names = Locked(PlayerNames())
  private let order = DispatchQueue(label: "feedfs.player")
  private let others: @Sendable (PlayAction) -> Void

  /// - Parameters:
  ///   - socket: a stream socket. mpv has the other end. The caller closes this end.
  ///   - others: receives the actions that are not for mpv, on `order`. It must not block.
  package init(
    at socket: FileDescriptor, _ queue: PlayQueue, others: @escaping @Sendable (PlayAction) -> Void
  ) {
    self.socket = socket
    self.queue = Locked(queue)
    self.others = others
  }

  /// Reads the messages of mpv, and performs the actions that follow. Blocks until mpv is gone and
  /// all actions are done.
  package func attend() {
    for order in PlayerOrder.observations { tell(order) }
    var heard: [UInt8] = []
    while true {
      let start = heard.count
      guard let piece = read(), !piece.isEmpty else { break }
      heard += piece
      guard let end = heard[start...].lastIndex(of: UInt8(ascii: "\n")) else { continue }
      for line in heard[..<end].split(separator: UInt8(ascii: "\n")) {
        let event = names.withLock { PlayerLine(line)?.meaning(&$0) }
        if let event { happened(event) }
      }
      heard.removeSubrange(...end)
    }
    happened(.closed)
    order.sync {}
  }

  package func happened(_ event: PlayEvent) {
    order.async { [self] in
      let actions = queue.withLock { $0.happened(event) }
      for action in actions {
        if case .append(let entries) = action {
          names.withLock { $0.tell(of: entries) }
        }
        if let order = PlayerOrder(action) { tell(order) } else { others(action) }
      }
    }
  }

  /// The path of the file that plays, or is being opened; nil before the first one.
  package var playing: String? { queue.withLock(\.current) }

  /// Asks mpv for its position, in seconds and in bytes.
  package func askPosition() {
    order.async { [self] in
      tell(.position)
      tell(.byte)
    }
  }

  /// Sends an order. A failure means that mpv is gone, which `attend` notices.
  private func tell(_ order: PlayerOrder) {
    _ = try? socket.writeAll(order.line)
  }

  private func read() -> [UInt8]? {
    try? [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
      count = try socket.read(into: .init(buffer))
    }
  }
}
