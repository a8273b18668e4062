import Blocks

/// A caller that waits for an answer of an `EntryFiller`.
struct Waiter: Sendable {
  /// The bytes that the caller waits for, or the proof of the version; and its receiver.
  enum Need: Sendable {
    case bytes(ByteRange, FillState.HandleID, any ByteReceiver)
    case proof(any ProofReceiver)
  }

  let need: Need
  /// The time from which the deadline counts. It stays the same if lent bytes are lost and the
  /// waiter waits again. If the disk has lost the bytes, it is set anew (`fetchInstead`).
  let start: Duration
  /// The number of times that the bytes had come, but were lost before the receiver could take
  /// them.
  var losses = 0
  /// True if this is an open that waits until the length is proved, although the file can already
  /// be read as it grows.
  var needsProof = false

  /// Registers this waiter with `growth` under the identifier `wait`.
  func wants(_ growth: inout GrowthState, as wait: FillState.WaitID, at now: Duration)
    -> [FillState.Action]
  {
    switch need {
    case .bytes(let range, let handle, _):
      growth.wants(range, by: handle, as: wait, since: start, at: now)
    case .proof:
      needsProof
        ? growth.wantsProof(as: wait, at: now)
        : growth.wantsBeginning(as: wait, since: start, at: now)
    }
  }

  /// Registers this waiter with `fill` under the identifier `wait`.
  func wants(_ fill: inout FillState, as wait: FillState.WaitID, at now: Duration)
    -> [FillState.Action]
  {
    switch need {
    case .bytes(let range, let handle, _):
      fill.wants(range, by: handle, as: wait, since: start, at: now)
    case .proof(let receiver):
      fill.wantsProof(as: wait, isLooker: receiver.isLooker, isScanner: receiver.isScanner, at: now)
    }
  }

  /// Returns the same waiter with `needsProof` set.
  func needingProof() -> Self {
    var waiter = self
    waiter.needsProof = true
    return waiter
  }

  func fail(_ error: ReadError) {
    switch need {
    case .bytes(_, _, let receiver): receiver.fail(error)
    case .proof(let receiver): receiver.fail(error)
    }
  }
}
