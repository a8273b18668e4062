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
    return try message(type, in: answer.body, status: answer.status) {
      "the daemon of \(mountPoint) is of another version of feedfs"
    }
  }

  /// What an answer says, if it is what was asked for; else its reason, or that there is `none`.
  static func message<Message: Decodable>(
    _ type: Message.Type, in body: [UInt8], status: Int, none: () -> String
  ) throws(MountError) -> Message {
    if let message = try? Wire.decode(type, from: body), status == 200 { return message }
    let refusal = try? Wire.decode(ControlAnswer.Refusal.self, from: body)
    let code: MountError.Code =
      switch status {
      case 400: .usage
      case 404: .noInput
      default: .unavailable
      }
    throw MountError(code, refusal?.error ?? none())
  }

  /// What a mount says of itself, as JSON: over its socket or, where nobody listens there (it is
  /// another's), out of the mount.
  static func status(of mountPoint: FilePath) throws(MountError) -> [UInt8] {
    try ControlSocket.check()
    let socket = ControlSocket.path(of: mountPoint)
    do throws(LocalClient.Failure) {
      let answer = try LocalClient(socket: socket.string).ask(
        ControlRequest.status.method, ControlRequest.status.target, within: patience)
      if answer.status == 200 { return answer.body }
    } catch {
      guard error == .nobodyListens else {
        throw MountError(
          .unavailable,
          "the daemon of \(mountPoint) does not answer; `feedfs unmount --force \(mountPoint)` ends it"
        )
      }
    }
    return try written(in: mountPoint)
  }

  /// How long a mount may take to say what it knows.
  private static let patience: Duration = .seconds(5)

  private static func written(in mountPoint: FilePath) throws(MountError) -> [UInt8] {
    do {
      let path = mountPoint.appending(".feedfs").appending("status.json")
      let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      return try file.closeAfter { try file.readAll() }
    } catch Errno.socketNotConnected {
      throw MountError(
        .unavailable,
        "the daemon of \(mountPoint) is dead; mount it again, or `feedfs unmount \(mountPoint)`")
    } catch Errno.permissionDenied {
      throw MountError(
        .permission, "\(mountPoint) is another user's, who alone may look; ask as that user")
    } catch {
      throw MountError(.unavailable, "\(mountPoint) cannot be read: \(error); is its daemon alive?")
    }
  }

  /// The errors of a request that was obeyed in part: one line each, and one exit code.
  static func end(with errors: [String]) throws(MountError) {
    guard let first = errors.first else { return }
    throw MountError(
      .tryLater, errors.count == 1 ? first : "\(first) (and \(errors.count - 1) other feeds)")
  }
}
