import Benchmark

/// Times decisions and parsers, without kernel, network or disk: one suite for each part.
///
///     microbench                       runs every suite; --help lists the options
///     microbench cached-reads COUNT    only makes COUNT reads of cached bytes, for a tool that
///                                      counts: the difference of two runs is the cost of the reads
@main
struct Main {
  static func main() {
    let words = CommandLine.arguments
    if words.count == 3, words[1] == "cached-reads", let count = Int(words[2]) {
      let reads = CachedReads()
      for _ in 0..<count { reads.readOnce() }
      precondition(reads.given == count * CachedReads.size, "a held read was not answered at once")
      return
    }
    Benchmark.main([
      BlockSetSuite.suite, FillStateSuite.suite, CachedReads.suite, FeedSuite.suite,
      ResponseCheckSuite.suite,
    ])
  }
}
