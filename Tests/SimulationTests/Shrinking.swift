/// Reduces failing steps: leaves out longer, then shorter runs as long as the rest still fails.
struct Shrinking {
  private(set) var steps: [Step]

  init(_ steps: [Step], fails: ([Step]) -> Bool) {
    self.steps = steps
    var length = max(1, steps.count / 2)
    while true {
      var start = 0
      var hasShrunk = false
      while start < self.steps.count {
        var fewer = self.steps
        fewer.removeSubrange(start..<min(start + length, fewer.count))
        if fails(fewer) {
          self.steps = fewer
          hasShrunk = true
        } else {
          start += length
        }
      }
      if length == 1 && !hasShrunk { return }
      length = max(1, length / 2)
    }
  }
}
