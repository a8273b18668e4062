import Dispatch
import Locks
import Playback

/// Performs the actions of a `PlayQueue` that are not commands to the player: it sends requests to
/// the mount, reads bytes from it, and saves positions. Safe from any thread.
final class PlayHelper: Sendable {
  private let mount: PlayedMount
  private let positions: PositionsFile
  /// The number of the player's process.
  private let process: Int32
  private let player = Locked<Player?>(nil)
  private let questions = DispatchQueue(label: "feedfs.questions")
  private let releases = DispatchQueue(label: "feedfs.releases")
  private let words = DispatchQueue(label: "feedfs.played")
  private let probes = DispatchQueue(label: "feedfs.probe", attributes: .concurrent)
  /// The number of the last `probe`. The results of earlier probes are not wanted any more.
  private let probe = Locked(0)

  init(_ mount: PlayedMount, _ positions: PositionsFile, _ process: Int32) {
    self.mount = mount
    self.positions = positions
    self.process = process
  }

  /// Sends all answers to `player` from now on.
  func attach(_ player: Player) {
    self.player.withLock { $0 = player }
  }

  /// Waits until the mount was told which entries were played. After that, sends no more answers to
  /// the player, and abandons a read that is under way.
  func end() {
    words.sync {}
    player.withLock { $0 = nil }
    _ = nextProbe()
  }

  func perform(_ action: PlayAction) {
    switch action {
    case .check(let path):
      questions.async { [self] in answer(.checked(path, mount.supply(of: path))) }
    case .probe(let path, let place):
      let number = nextProbe()
      probes.async { [self] in
        let hasCome = mount.hasByte(of: path, at: place) { [probe] in
          probe.withLock { $0 == number }
        }
        answer(.probed(path, hasCome))
      }
    case .endProbe: _ = nextProbe()
    case .release: releases.async { [self] in mount.release(process) }
    case .forget(let key):
      positions.keep(action)
      // The queue forgets the position in an entry exactly when the entry was played to its end.
      words.async { [self] in mount.tellPlayed(key) }
    default: positions.keep(action)
    }
  }

  /// Returns a number for a new read. Reads with earlier numbers then end soon.
  private func nextProbe() -> Int {
    probe.withLock { number in
      number += 1
      return number
    }
  }

  private func answer(_ event: PlayEvent) {
    player.withLock { $0 }?.happened(event)
  }
}
