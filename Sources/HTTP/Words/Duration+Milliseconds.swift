extension Duration {
  /// Whole milliseconds, rounded up: what is to be waited for is over then.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    guard abs(seconds) < 1 << 40 else { return seconds < 0 ? .min : .max }
    return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// "250 ms" below a second, "30 s" above.
  var inWords: String {
    milliseconds < 1000 ? "\(milliseconds) ms" : "\((milliseconds + 500) / 1000) s"
  }
}
