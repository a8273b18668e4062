package import Control
package import Host
import FeedReading
import SystemPackage

/// The mounts, feed or file that `feedfs status` shows: all mounts of this user, one mount, or one
/// feed or file of a mount.
package struct StatusSource {
  /// The mount or file to show; nil for all mounts of this user.
  private let place: MountedPlace?
  /// True if files with nothing to report are listed too.
  private let listsAll: Bool
  /// The part of a mount's files that the JSON contains.
  private let part: StatusPart

  /// - Parameter typed: the command's argument. Nil means all mounts. If there is only one mount,
  ///   nil means that one, with its files.
  package init(
    _ typed: String?, listsAll: Bool, part: StatusPart = StatusPart()
  ) throws(CommandError) {
    self.listsAll = listsAll
    self.part = part
    guard typed == nil else {
      place = try MountedPlace(typed)
      return
    }
    let mounts = try MountedFeeds.all()
    place = mounts.count == 1 ? MountedPlace(mountPoint: mounts[0], file: nil) : nil
  }

  /// Returns the status as JSON; for all mounts, an array of them. Leaves out mounts that do not
  /// answer, and returns their errors.
  package func document(pretty: Bool) throws(CommandError) -> (
    bytes: [UInt8], errors: [CommandError]
  ) {
    guard let place else {
      let (all, errors) = Self.all { [part] path throws(CommandError) in
        try Self.document(of: path, part, pretty: pretty)
      }
      return (Array("[".utf8) + all.joined(separator: ",".utf8) + "]".utf8, errors)
    }
    switch try subject(at: place) {
    case .file(let details): return (Self.encoded(details, pretty: pretty), [])
    case .feed(let status): return (Self.encoded(status, pretty: pretty), [])
    case nil: break
    }
    return (try Self.document(of: place.mountPoint, part, pretty: pretty), [])
  }

  /// Returns the status as lines for people, and the errors of mounts that do not answer.
  package func lines(
    _ face: TerminalFace, isFramed: Bool
  ) throws(CommandError) -> (lines: [StyledLine], errors: [CommandError]) {
    guard let place else {
      let (all, errors) = Self.all { path throws(CommandError) in try Self.status(of: path) }
      return (all.map { MountRow(status: $0).line }, errors)
    }
    let status: MountStatus
    switch try subject(at: place) {
    case .file(let details): return (FileTable(details: details, face: face).lines, [])
    case .feed(let part): status = part
    case nil: status = try Self.status(of: place.mountPoint)
    }
    let table = StatusTable(status: status, face: face, listsAll: listsAll, isFramed: isFramed)
    return (table.lines, [])
  }

  /// True if the mount is gone. If the status is that of all mounts, true if all mounts are gone.
  var isGone: Bool {
    place.map { !MountPoint($0.mountPoint).isOfFeeds } ?? MountPoint.ours.isEmpty
  }

  // MARK: Private

  /// Calls `body` for each mount of this user. Returns the results, and the errors of calls that
  /// threw.
  private static func all<Outcome: Sendable>(
    _ body: @escaping @Sendable (FilePath) throws(CommandError) -> Outcome
  ) -> (outcomes: [Outcome], errors: [CommandError]) {
    var (outcomes, errors): ([Outcome], [CommandError]) = ([], [])
    let answers = together(MountPoint.ours) { path in
      Result { () throws(CommandError) in try body(path) }
    }
    for answer in answers {
      switch answer {
      case .success(let outcome): outcomes.append(outcome)
      case .failure(let error): errors.append(error)
      }
    }
    return (outcomes, errors)
  }

  private static func document(
    of mountPoint: FilePath, _ part: StatusPart, pretty: Bool
  ) throws(CommandError) -> [UInt8] {
    if part != StatusPart() {
      let status = try MountControl.ask(.files(part), at: mountPoint, as: MountStatus.self)
      return encoded(status, pretty: pretty)
    }
    if pretty { return try MountControl.status(of: mountPoint) }
    return encoded(try status(of: mountPoint), pretty: false)
  }

  private static func status(of mountPoint: FilePath) throws(CommandError) -> MountStatus {
    let document = try MountControl.status(of: mountPoint)
    do {
      return try Wire.decode(MountStatus.self, from: document)
    } catch {
      throw CommandError(
        .unavailable,
        "\(mountPoint) is served by another version of feedfs; unmount it, and mount it again")
    }
  }

  private enum Subject {
    case file(FileDetails)
    /// The status of a mount with one feed and its files.
    case feed(MountStatus)
  }

  /// Returns the file or feed that `place` names in its mount; nil if `place` is the mount itself.
  private func subject(at place: MountedPlace) throws(CommandError) -> Subject? {
    guard let name = place.file else { return nil }
    do throws(CommandError) {
      return .file(try details(of: place))
    } catch {
      guard error.code == .noInput, let status = try? Self.status(of: place.mountPoint),
        let feed = status.feed(in: name)
      else { throw error }
      return .feed(feed)
    }
  }

  private func details(of place: MountedPlace) throws(CommandError) -> FileDetails {
    var details = try MountControl.ask(
      .file(name: place.file ?? ""), at: place.mountPoint, as: FileDetails.self)
    // The user may have typed a title, so the name is taken from the answer.
    details.processes = OpenFiles.holders(of: place.mountPoint.appending(details.file.name))
    return details
  }

  private static func encoded(_ message: some Encodable, pretty: Bool) -> [UInt8] {
    (try? Wire.encode(message, pretty: pretty)) ?? []
  }
}
