import Benchmark

/// Times what decides and parses, without kernel, network or disk: one suite for each part.
///
///     microbench                       every suite; --help tells what else can be said
///     microbench cached-reads COUNT    does nothing but that many reads of held bytes, to be run under
///                                      a tool that counts: what two counts differ by is the reads'
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
