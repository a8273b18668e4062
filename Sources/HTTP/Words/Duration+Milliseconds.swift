extension Duration {
  /// The duration in whole milliseconds, rounded up, so that a timeout of this length never ends
  /// too early.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    guard abs(seconds) < 1 << 40 else { return seconds < 0 ? .min : .max }
    return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// The duration in words: "250 ms" below a second, "30 s" above.
  var inWords: String {
    milliseconds < 1000 ? "\(milliseconds) ms" : "\((milliseconds + 500) / 1000) s"
  }
}
