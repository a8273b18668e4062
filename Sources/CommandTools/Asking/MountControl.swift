package import Control
package import Host
import Glibc
import HTTP
package import SystemPackage

/// Sends the requests of commands to the daemon of a mount. If no daemon answers, this is found out
/// within `MountQuestion.timeout`.
package enum MountControl {
  /// - Parameter limit: the timeout for the answer of a live daemon. It is long by default, because
  ///   some answers wait for the pages of feeds.
  package static func ask<Message: Decodable>(
    _ request: ControlRequest, at mountPoint: FilePath, as type: Message.Type,
    within limit: Duration = .seconds(90)
  ) throws(CommandError) -> Message {
    guard let answer = try answer(to: request, of: mountPoint, within: limit) else {
      throw CommandError(
        .tryLater,
        "the daemon of \(mountPoint) has no control socket; the log of the mount says why")
    }
    return try message(type, in: answer.body, status: answer.status) {
      "\(mountPoint) is served by another version of feedfs; unmount it, and mount it again"
    }
  }

  /// Returns the decoded answer if its status is 200 and its type is right. Otherwise throws an
  /// error with the reason in the answer, or with `none()` if the answer has no reason.
  static func message<Message: Decodable>(
    _ type: Message.Type, in body: [UInt8], status: Int, none: () -> String
  ) throws(CommandError) -> Message {
    if let message = try? Wire.decode(type, from: body), status == 200 { return message }
    let refusal = try? Wire.decode(ControlAnswer.Refusal.self, from: body)
    let code: CommandError.Code =
      switch status {
      case 400: .usage
      case 404: .noInput
      default: .unavailable
      }
    throw CommandError(code, refusal?.error ?? none())
  }

  /// Returns the status of a mount as JSON. Asks the daemon through its control socket. If there is
  /// no socket, or if the mount is another user's, reads `.feedfs/status.json` in the mount
  /// instead.
  static func status(of mountPoint: FilePath) throws(CommandError) -> [UInt8] {
    if !MountPoint(mountPoint).isAnothers,
      let answer = try answer(to: .status, of: mountPoint, within: timeout), answer.status == 200
    {
      return answer.body
    }
    return try file(".feedfs/status.json", of: mountPoint)
  }

  /// Returns the bytes of a file that the daemon generates, such as `.feedfs/status.json`. Reads it
  /// through the mount.
  static func file(_ name: String, of mountPoint: FilePath) throws(CommandError) -> [UInt8] {
    let path = mountPoint.pushing(FilePath(name))
    do throws(MountQuestion.Failure) {
      return try MountQuestion(.file, at: path).answer()
    } catch {
      throw refusal(of: mountPoint, error)
    }
  }

  /// Throws the first of `errors`, each of which is about one feed. The message says how many
  /// others there are. Throws nothing if there are no errors.
  package static func end(with errors: [String]) throws(CommandError) {
    guard let first = errors.first else { return }
    throw CommandError(
      .tryLater, errors.count == 1 ? first : "\(first) (and \(errors.count - 1) more errors)")
  }

  /// Throws the first of `errors`, each of which is about one mount. The message says how many
  /// others there are. Throws nothing if there are no errors.
  package static func end(with errors: [CommandError]) throws(CommandError) {
    guard let first = errors.first else { return }
    guard errors.count > 1 else { throw first }
    throw CommandError(first.code, "\(first) (and \(errors.count - 1) more errors)")
  }

  // MARK: Private

  /// The timeout for the status of a live mount.
  private static let timeout: Duration = .seconds(20)

  /// Sends `request` through the control socket. Returns nil if the mount is alive but has no
  /// socket.
  private static func answer(
    to request: ControlRequest, of mountPoint: FilePath, within limit: Duration
  ) throws(CommandError) -> LocalClient.Answer? {
    guard !MountPoint(mountPoint).isAnothers else {
      throw CommandError(
        .permission,
        "\(mountPoint) is another user's mount, without --allow-other; only that user can ask it")
    }
    try ControlSocket.check()
    guard let socket = try socket(of: mountPoint) else { return nil }
    do throws(LocalClient.Failure) {
      return try LocalClient(socket: socket.string).ask(
        request.method, request.target, within: limit)
    } catch {
      throw silence(of: mountPoint)
    }
  }

  /// Returns the path of the socket on which the daemon answers; nil if there is none. It is one of
  /// the usual paths, or the path that an extended attribute of the mount names.
  private static func socket(of mountPoint: FilePath) throws(CommandError) -> FilePath? {
    let deadline = ContinuousClock.now + MountQuestion.timeout
    for place in ControlSocket.places(of: mountPoint)
    where try isAlive(at: place, of: mountPoint, by: deadline) { return place }
    let named: [UInt8]
    do throws(MountQuestion.Failure) {
      named = try MountQuestion(.attribute, "user.feedfs.socket", at: mountPoint)
        .answer(by: deadline)
    } catch {
      guard error != .refused(.noData) else { return nil }
      throw refusal(of: mountPoint, error)
    }
    let place = FilePath(String(decoding: named, as: UTF8.self))
    // If the directory of the socket was removed, the daemon soon makes the socket again.
    while try !isAlive(at: place, of: mountPoint, by: deadline) {
      guard ContinuousClock.now < deadline else { return nil }
      poll(nil, 0, 100)  // ms
    }
    return place
  }

  /// Returns whether a daemon listens at `socket`. Throws if a daemon listens but does not answer.
  private static func isAlive(
    at socket: FilePath, of mountPoint: FilePath, by deadline: ContinuousClock.Instant
  ) throws(CommandError) -> Bool {
    let rest = max(.milliseconds(100), ContinuousClock.now.duration(to: deadline))
    let request = ControlRequest.mount
    do throws(LocalClient.Failure) {
      _ = try LocalClient(socket: socket.string).ask(request.method, request.target, within: rest)
      return true
    } catch {
      guard error == .nobodyListens else { throw silence(of: mountPoint) }
      return false
    }
  }

  private static func silence(of mountPoint: FilePath) -> CommandError {
    CommandError(
      .unavailable,
      "the daemon of \(mountPoint) does not answer; `feedfs unmount --force \(mountPoint)` ends it")
  }

  /// Returns the error for a mount whose daemon is dead.
  static func death(of mountPoint: FilePath) -> CommandError {
    CommandError(
      .unavailable,
      "the daemon of \(mountPoint) is dead; mount the feed again, or `feedfs unmount \(mountPoint)`"
    )
  }

  private static func refusal(
    of mountPoint: FilePath, _ failure: MountQuestion.Failure
  ) -> CommandError {
    switch failure {
    case .silence: silence(of: mountPoint)
    case .refused(.socketNotConnected), .refused(.connectionAbort): death(of: mountPoint)
    case .refused(.permissionDenied):
      CommandError(
        .permission,
        "\(mountPoint) is another user's mount, without --allow-other; only that user can ask it")
    case .refused(let error):
      CommandError(
        .unavailable, "\(mountPoint) cannot be read: \(error); `feedfs doctor` checks its daemon")
    }
  }
}
