/// Finds bodies of unknown length that come more slowly than their files play. Such a body may have
/// no end. Its fetch would keep other files from being fetched whole for hours.
package struct SlowBodies<Name: Hashable & Sendable>: Sendable {
  /// How many bytes of a body have come, and how fast its file plays.
  package struct Progress: Hashable, Sendable {
    let bytes: Int
    let rate: Int

    /// - Parameters:
    ///   - bytes: the number of bytes that have come.
    ///   - rate: the rate at which the file plays, in bytes a second; nil if it is not known.
    package init(bytes: Int, rate: Int?) {
      self.bytes = bytes
      self.rate = rate ?? SlowBodies.usualRate
    }
  }

  private struct Checkpoint {
    let time: Duration
    let bytes: Int
  }

  private var checkpoints: [Name: Checkpoint] = [:]

  /// The time over which a body is judged.
  package static var span: Duration { .seconds(600) }
  /// The rate in bytes a second that is assumed if the real rate is not known. Good audio has this
  /// rate.
  package static var usualRate: Int { 32 << 10 }

  package init() {}

  /// Takes the progress of all bodies that are being fetched whole. Judges each body at the end of
  /// every `span`. Returns the bodies of which fewer bytes came in that span than their files play
  /// in it.
  package mutating func saw(_ bodies: [Name: Progress], at now: Duration) -> [Name] {
    checkpoints = checkpoints.filter { bodies[$0.key] != nil }
    return bodies.compactMap { name, progress in
      let checkpoint = checkpoints[name]
      if let checkpoint, checkpoint.bytes <= progress.bytes, now - checkpoint.time < Self.span {
        return nil
      }
      checkpoints[name] = Checkpoint(time: now, bytes: progress.bytes)
      // A body that has begun again has fewer bytes than before. It is not judged yet.
      guard let checkpoint, checkpoint.bytes <= progress.bytes else { return nil }
      let least = Double(progress.rate) * ((now - checkpoint.time) / .seconds(1))
      return Double(progress.bytes - checkpoint.bytes) < least ? name : nil
    }
  }
}
