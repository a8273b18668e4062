/// The results of a family's trials, one line per fault.
struct MatrixScore {
  let family: MatrixFamily
  let trials: [MatrixTrial]

  /// Prints the results into the log of the tests.
  func say() {
    for fault in family.faults {
      let same = trials.filter { $0.fault.name == fault.name }.map(\.result)
      print(
        "matrix: \(family.rawValue): \(fault.name): \(same.count { $0.complaints.isEmpty })"
          + " of \(same.count) in order, \(same.count { $0.meetings > 0 }) met it,"
          + " \(same.count(where: \.isRight)) read to the end,"
          + " longest \(same.map(\.milliseconds).max() ?? 0) ms,"
          + " at most \(same.map(\.requests).max() ?? 0) requests")
    }
    let results = trials.map(\.result)
    let served = trials.filter(\.fault.isServed).map(\.result)
    let others = results.map(\.others).sorted()
    let recoveries = results.compactMap(\.recovery).sorted()
    print(
      "matrix: \(family.rawValue): \(results.count { $0.complaints.isEmpty }) of"
        + " \(results.count) in order, \(served.count { $0.meetings > 0 }) of \(served.count) met"
        + " their fault; others \(text(others)), recovery \(text(recoveries))")
  }

  /// The median and the maximum.
  private func text(_ times: [Duration]) -> String {
    guard let last = times.last else { return "–" }
    return "\(ms(times[times.count / 2])) ms, at most \(ms(last)) ms"
  }

  private func ms(_ time: Duration) -> Int { Int(time / .milliseconds(1)) }
}
