import FoundationEssentials
import Host
import SystemPackage
import Testing

/// The kernel's mount table tells which mounts belong to this user.
struct MountTableTests {
  private static let text = """
    22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
    40 22 0:50 / /home/u/my\\040feed ro,nosuid - fuse.feedfs feedfs#a ro,user_id=1000,group_id=1000
    41 22 0:51 / /home/v/feed ro,nosuid - fuse.feedfs feedfs#b ro,user_id=1001,group_id=1001
    42 22 0:50 / /srv/copy ro,nosuid - fuse.feedfs feedfs#a ro,user_id=1000,group_id=1000
    43 22 0:50 /talks /srv/talks ro,nosuid - fuse.feedfs feedfs#a ro,user_id=1000,group_id=1000
    44 22 0:52 / /auto rw - autofs systemd-1 rw,fd=30,pgrp=1
    45 22 0:53 / /home/u/hidden ro - fuse.feedfs feedfs#c ro,user_id=1000,group_id=1000
    46 22 0:54 / /home/u/hidden rw - tmpfs none rw
    47 22 0:55 / /home/u/other ro - fuse.sshfs host: ro,user_id=1000,group_id=1000
    a line of nonsense
    """
  private let table = MountTable(parsing: text)

  @Test func eachUserHasHisOwnMountsAndNobodyElses() {
    #expect(table.feeds(of: 1000) == ["/home/u/my feed"])
    #expect(table.feeds(of: 1001) == ["/home/v/feed"])
    #expect(table.feeds(of: 0) == [])
  }

  @Test func whatIsBoundToOtherPlacesIsOneMount() {
    #expect(table.places(ofDevice: 50) == ["/home/u/my feed", "/srv/copy", "/srv/talks"])
    #expect(table.feeds.contains("/srv/copy") && !table.feeds.contains("/home/u/hidden"))
  }

  @Test func aMountThatHasGotTheNumberOfOneThatIsGoneIsNotTakenForIt() {
    let before = table.places(ofDevice: 51)
    let lines = Self.text.split(separator: "/home/v/feed", omittingEmptySubsequences: false)
    let after = MountTable(parsing: lines.joined(separator: "/home/v/next"))
    #expect(before == ["/home/v/feed"] && after.places(ofDevice: 51) == ["/home/v/next"])
    #expect(after.places(ofDevice: 51, among: before).isEmpty)
    #expect(table.places(ofDevice: 50, among: ["/srv/copy", "/srv"]) == ["/srv/copy"])
  }

  @Test func aMountOfAnotherUserIsNotTakenForOursWhateverItsNumber() {
    let lines = Self.text.split(separator: "0:51", omittingEmptySubsequences: false)
    let table = MountTable(parsing: lines.joined(separator: "0:50"))
    #expect(table.places(ofDevice: 50).contains("/home/v/feed"))
    #expect(table.places(ofDevice: 50, by: 1000) == self.table.places(ofDevice: 50))
    #expect(table.places(ofDevice: 50, by: 1001) == ["/home/v/feed"])
  }

  @Test func anAutomountIsNoMountOfOurs() {
    #expect(table.last(at: "/auto")?.type == "autofs" && table.last(at: "/auto")?.isFeed == false)
    #expect(table.last(at: "/nowhere") == nil)
  }
}
