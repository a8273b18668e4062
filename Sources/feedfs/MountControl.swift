import Control
import FeedMount
import HTTP
import SystemPackage

/// Asks the daemon of a mount.
enum MountControl {
  /// - Parameter limit: reading pages takes as long as their origins do.
  static func ask<Message: Decodable>(
    _ request: ControlRequest, at mountPoint: FilePath, as type: Message.Type,
    within limit: Duration = .seconds(90)
  ) throws(MountError) -> Message {
    try ControlSocket.check()
    let socket = ControlSocket.path(of: mountPoint)
    let answer: LocalClient.Answer
    do {
      answer = try LocalClient(socket: socket.string).ask(
        request.method, request.target, within: limit)
    } catch {
      throw MountError(
        .tryLater,
        "the daemon of \(mountPoint) does not answer at \(socket); is it yours, and alive?")
    }
    if let message = try? Wire.decode(type, from: answer.body), answer.status == 200 {
      return message
    }
    let refusal = try? Wire.decode(ControlAnswer.Refusal.self, from: answer.body)
    throw MountError(
      answer.status == 404 ? .noInput : .unavailable,
      refusal?.error ?? "the daemon of \(mountPoint) is of another version of feedfs")
  }

  /// The errors of a request that was obeyed in part: one line each, and one exit code.
  static func end(with errors: [String]) throws(MountError) {
    guard let first = errors.first else { return }
    throw MountError(
      .tryLater, errors.count == 1 ? first : "\(first) (and \(errors.count - 1) other feeds)")
  }
}
