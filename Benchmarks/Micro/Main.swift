/// Times decisions and parsers, without kernel, network or disk.
///
///     microbench [WORD]                runs every benchmark, or those with WORD in their name
///     microbench cached-reads COUNT    only makes COUNT reads of cached bytes, for a tool that
///                                      counts: the difference of two runs is the cost of the reads
///     microbench fill MEBIBYTES        only fills a file of this length, for such a tool too
///     microbench long-feed             parses a feed of 10 MB once, and prints time and memory
///     microbench long-feed WORK TIMES  only parses or refreshes so many times (WORK: parse, refresh)
@main
struct Main {
  static func main() throws {
    let words = CommandLine.arguments
    if words.count == 3, words[1] == "cached-reads", let count = Int(words[2]) {
      let reads = CachedReads()
      for _ in 0..<count { reads.readOnce() }
      precondition(reads.given == count * CachedReads.size, "a held read was not answered at once")
      return
    }
    if words.count == 3, words[1] == "fill", let mebibytes = Int(words[2]) {
      let fill = try Fill(mebibytes: mebibytes)
      defer { fill.end() }
      return try fill.run()
    }
    if words.count > 1, words[1] == "long-feed" {
      guard words.count == 4, let times = Int(words[3]) else { return try LongFeed.measure() }
      return try LongFeed.work(words[2], times: times)
    }
    let all =
      BlockSetSuite.benchmarks + FillStateSuite.benchmarks + CachedReads.benchmarks
      + FeedSuite.benchmarks + LongFeed.benchmarks + ResponseCheckSuite.benchmarks
    let word = words.count > 1 ? words[1] : ""
    for benchmark in all where word.isEmpty || benchmark.name.contains(word) {
      print(benchmark.name, try benchmark.timing(), separator: "\t")
    }
  }
}
