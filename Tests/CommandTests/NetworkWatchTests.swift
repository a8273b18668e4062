import Locks
import Testing

@testable import Host

@Suite(.timeLimit(.minutes(1)))
struct NetworkWatchTests {
  @Test func onlyWhatIsOtherThanBeforeIsTold() {
    let facts = Locked(NetworkFacts(routes: ["eth0"]))
    let told = Locked(0)
    let watch = NetworkWatch {
      facts.withLock { $0 }
    } changed: {
      told.withLock { $0 += 1 }
    }
    defer { watch.end() }

    watch.look()
    #expect(told.withLock { $0 } == 0)
    facts.withLock { $0.nameServers = "nameserver 192.0.2.1" }
    watch.look()
    watch.look()
    #expect(told.withLock { $0 } == 1)
  }

  @Test func whatOnlyCountsIsNoChange() {
    let before = """
      Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT
      eth0\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
      """
    let later = before.replacing("0003\t0\t0\t100", with: "0003\t2\t99\t100")
    let other = before.replacing("0102A8C0", with: "0103A8C0")
    func routes(_ table: String) -> Set<String> {
      NetworkFacts.routes(in: table, without: 4...6)
    }

    #expect(routes(before) == routes(later))
    #expect(routes(before) != routes(other))
  }
}
