import Glibc
package import SystemPackage

/// Takes a mount down, from a process that is not its daemon.
package enum Unmounting {
  /// The timeout for the daemon to flush and end.
  private static let flushTime: Int32 = 10_000  // ms

  /// Takes down a mount that is not in use. Returns when its daemon has flushed and ended.
  package static func ask(_ path: FilePath) throws(CommandError) {
    let point = MountPoint(path)
    guard !point.isOutOfReach else { throw refusal(of: path) }
    let device = point.entry?.device
    let places = device.map { MountTable.own.places(ofDevice: $0) } ?? []
    let daemon = try speaking(at: path)
    guard umount2(path.string, Int32(UMOUNT_NOFOLLOW)) == 0 || askHelper(path) else {
      throw CommandError(
        .tryLater,
        "\(path) is in use and stays mounted; `fuser -m \(path)` shows by which programs; `feedfs unmount --force` unmounts it anyway"
      )
    }
    let left = device.map { MountTable.own.places(ofDevice: $0, among: places) } ?? []
    if let other = left.first(where: { $0 != path }) {
      throw CommandError(
        .tryLater,
        "\(path) is unmounted, but its daemon still runs: the mount is also bound to \(other);"
          + " `feedfs unmount --force \(path)` ends it")
    }
    if daemon?.hasEnded(within: flushTime) == false {
      throw CommandError(
        .tryLater,
        "\(path) is unmounted, but its daemon still runs: it is flushing, or a container that"
          + " was started meanwhile has a copy of the mount; `feedfs unmount --force \(path)` ends the daemon"
      )
    }
  }

  /// Returns the daemon that serves `path`; nil if no daemon serves it any more. Throws if the
  /// daemon does not answer, because such a daemon could not flush either.
  private static func speaking(at path: FilePath) throws(CommandError) -> MountDaemon? {
    do throws(MountQuestion.Failure) {
      // This waits for the answer, because the process that asks keeps the mount in use until it
      // has the answer.
      let digits = try MountQuestion(.attribute, RootAttributes.processName, at: path).answer()
      return Int32(String(decoding: digits, as: UTF8.self)).flatMap { MountDaemon(number: $0) }
    } catch {
      guard error == .silence else { return nil }
      throw CommandError(
        .unavailable,
        "the daemon of \(path) does not answer, so its cache cannot be flushed; `feedfs unmount --force \(path)` ends it"
      )
    }
  }

  /// Ends the daemon of a mount and takes the mount down, even if it is in use. Also ends a daemon
  /// whose mount has left `path` but still exists elsewhere.
  package static func force(_ path: FilePath) throws(CommandError) {
    let point = MountPoint(path)
    guard !point.isOutOfReach else { throw refusal(of: path) }
    let daemon = MountDaemon(serving: path, by: .now + .seconds(1))
    let entry = point.entry.flatMap { $0.isFeed ? $0 : nil }
    guard daemon != nil || entry != nil else {
      throw CommandError(
        .noInput, "no feed is mounted at \(path); `feedfs status` lists your mounts")
    }
    // The places are found before the daemon ends, because after its end a new mount may get the
    // same device number.
    let device = entry?.device ?? daemon?.device
    let places = device.map { self.places(of: $0, by: entry?.user, servedBy: daemon) } ?? []
    if let daemon {
      daemon.terminate()
      if !daemon.hasEnded(within: 2_000) { daemon.kill() }
      _ = daemon.hasEnded(within: 1_000)
    }
    guard let device else { return }
    for place in MountTable.own.places(ofDevice: device, among: places) {
      // A stopped daemon never answers, so the readers that wait for it get an error here.
      MountPoint(place).abort()
      if MountPoint(place).entry?.device == device { MountPoint(place).detach() }
    }
    guard MountTable.own.places(ofDevice: device, among: [path]).isEmpty else {
      throw refusal(of: path)
    }
  }

  /// Returns the places of the mount with this device. A place of another user, or one where
  /// another daemon listens, belongs to a newer mount that has got the device number of an ended
  /// one.
  ///
  /// - Parameter user: the user who made the mount; nil if the mount is gone. Then the daemon is
  ///   this user's.
  private static func places(
    of device: Int, by user: UInt32?, servedBy daemon: MountDaemon?
  ) -> [FilePath] {
    MountTable.own.places(ofDevice: device, by: user ?? geteuid()).filter { place in
      MountDaemon.listener(of: place).map { $0 == daemon?.number } ?? true
    }
  }

  /// Returns the daemon of a mount that was at `path` and is no longer there; nil if there is none.
  package static func ghost(of path: FilePath) -> MountDaemon? {
    guard !MountPoint(path).isOfFeeds else { return nil }
    return MountDaemon(serving: path, by: .now)
  }

  private static func refusal(of path: FilePath) -> CommandError {
    CommandError(
      .permission, "another user mounted \(path), so only that user or root can unmount it")
  }

  private static func askHelper(_ path: FilePath) -> Bool {
    Program("fusermount3", "-u", "-q", "--", path.string).run() == 0
  }
}
