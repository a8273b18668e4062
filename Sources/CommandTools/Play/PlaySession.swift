import Dispatch
package import Host
import Glibc
import Locks
package import Playback
import SystemPackage

/// Plays feeds in mpv, from the start of mpv to its end.
package struct PlaySession {
  private let mount: PlayedMount
  private let queue: PlayQueue
  private let positions: PositionsFile

  package init(mount: PlayedMount, queue: PlayQueue, positions: PositionsFile) {
    self.mount = mount
    self.queue = queue
    self.positions = positions
  }

  /// Runs mpv. Returns when mpv has ended and the position is saved.
  package func run(_ program: Program) throws -> Program.End? {
    let signals = try TerminationSignals()
    let (ours, theirs) = try Self.sockets()
    defer { try? ours.close() }
    var program = program
    program.channel = theirs
    let process = try PlayerProcess(program, signals)
    try? theirs.close()
    let helper = PlayHelper(mount, positions, process.number)
    let player = Player(at: ours, queue) { helper.perform($0) }
    helper.attach(player)
    let isGone = DispatchSemaphore(value: 0)
    DispatchQueue(label: "feedfs.mpv").async {
      player.attend()
      isGone.signal()
    }
    let clocks = watch(for: player)
    defer { helper.end() }
    defer {
      for clock in clocks { clock.cancel() }
    }
    defer { _ = isGone.wait(timeout: .now() + .seconds(2)) }
    return try process.end()
  }

  /// Starts the timers. The first check of the mount begins at once. A check waits for the daemon,
  /// which can take long, so the requests to the player have a timer of their own.
  private func watch(for player: Player) -> [any DispatchSourceTimer] {
    let watch = Locked(MountWatch(mount))
    let look = Self.clock("feedfs.watch") {
      let playing = player.playing
      for event in watch.withLock({ $0.look(playing: playing) }) { player.happened(event) }
    }
    let start = ContinuousClock.now
    let quarters = Locked(0)
    let time = Self.clock("feedfs.position", each: .milliseconds(250)) {
      player.happened(.look)
      let quarter = quarters.withLock { count in
        count += 1
        return count
      }
      guard quarter.isMultiple(of: 4) else { return }
      player.askPosition()
      player.happened(.second(Int(start.duration(to: .now) / .seconds(1))))
    }
    return [look, time]
  }

  private static func clock(
    _ label: String, each interval: DispatchTimeInterval = .seconds(1),
    _ body: @escaping @Sendable () -> Void
  ) -> any DispatchSourceTimer {
    let clock = DispatchSource.makeTimerSource(queue: DispatchQueue(label: label))
    clock.setEventHandler(handler: body)
    clock.schedule(deadline: .now(), repeating: interval)
    clock.activate()
    return clock
  }

  /// Returns two connected sockets without a name. So no other process can control this player
  /// through them, and the user can still give mpv a socket with a name. mpv ends when `ours` is
  /// closed, even if this process is killed.
  private static func sockets() throws(CommandError) -> (
    ours: FileDescriptor, theirs: FileDescriptor
  ) {
    var ends: [Int32] = [0, 0]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw CommandError(
        .unavailable, "the connection to the player cannot be made: \(Errno(rawValue: errno))")
    }
    return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
  }
}
