import Testing

@testable import Control

struct PeerTests {
  @Test(
    arguments: [
      (1000, 1000, true), (0, 1000, true), (0, 0, true), (1001, 1000, false), (1000, 0, false),
    ] as [(UInt32, UInt32, Bool)])
  func aMountAnswersItsUserAndRoot(user: UInt32, owner: UInt32, may: Bool) {
    #expect(Peer(process: 1, user: user, group: user).mayAsk(owner) == may)
  }
}
