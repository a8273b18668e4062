/// Bytes in words: "512 B", "1.4 GiB".
func words(bytes: Int) -> String {
  let units = ["B", "KiB", "MiB", "GiB", "TiB"]
  var value = Double(bytes)
  var unit = 0
  while value >= 1024 && unit < units.count - 1 {
    value /= 1024
    unit += 1
  }
  let tenths = Int((value * 10).rounded())
  return unit == 0 ? "\(bytes) B" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
}

/// How many there are of what `one` is one of.
func words(_ count: Int, _ one: String) -> String {
  count == 1 ? "1 \(one)" : "\(count) \(one)s"
}
