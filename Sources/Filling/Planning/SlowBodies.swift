/// Finds the bodies without length that come more slowly than their files play. Such a body may have no
/// end, and would keep other files from being filled for hours.
package struct SlowBodies<Name: Hashable & Sendable>: Sendable {
  /// The progress of a body.
  package struct Progress: Hashable, Sendable {
    let bytes: Int
    let rate: Int

    /// - Parameters:
    ///   - bytes: the bytes that have come.
    ///   - rate: bytes a second of the file's playing time; nil if it is not known.
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

  /// The time between two judgements of a body.
  package static var span: Duration { .seconds(600) }
  /// The assumed lowest rate of media: good audio, in bytes a second.
  package static var usualRate: Int { 32 << 10 }

  package init() {}

  /// Takes the progress of all bodies that are being filled. Returns those that have brought less in the
  /// last span than they play in it.
  package mutating func saw(_ bodies: [Name: Progress], at now: Duration) -> [Name] {
    checkpoints = checkpoints.filter { bodies[$0.key] != nil }
    return bodies.compactMap { name, progress in
      let checkpoint = checkpoints[name]
      if let checkpoint, checkpoint.bytes <= progress.bytes, now - checkpoint.time < Self.span {
        return nil
      }
      checkpoints[name] = Checkpoint(time: now, bytes: progress.bytes)
      // A body that starts again has fewer bytes than before.
      guard let checkpoint, checkpoint.bytes <= progress.bytes else { return nil }
      let least = Double(progress.rate) * ((now - checkpoint.time) / .seconds(1))
      return Double(progress.bytes - checkpoint.bytes) < least ? name : nil
    }
  }
}
