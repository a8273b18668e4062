import Settings
import Testing

@Suite(.timeLimit(.minutes(1)))
struct NetrcTests {
  @Test(arguments: [
    "machine e.org login me password s3cret",
    "machine E.ORG\n\tlogin me\n\tpassword s3cret\n",
    "# machine e.org login x\nmachine e.org login me # no\npassword s3cret",
    "machine a.org login b password c\nmachine e.org account x login me password s3cret",
    "machine e.org login \"me\" password \"s3c\\ret\"",
    "machine a.org macdef init\nmachine e.org login x\n\nmachine e.org login me password s3cret",
    "machine a.org macdef init\r\nx\r\n\r\nmachine e.org login me password s3cret\r\n",
    "machine e.org login me password s3cret machine e.org login second password other",
  ])
  func theFirstEntryOfAHostIsItsLogin(text: String) {
    let login = Netrc(text)["e.org"]
    #expect(login?.user == "me" && login?.password == "s3cret")
  }

  @Test(arguments: [
    "", "machine", "machine e.org", "machine e.org password p", "default login me password p",
    "machine sub.e.org login me password p", "machine org login me password p",
    "login me password p", "machine login me", "\"", "machine \"e.org",
  ])
  func whatIsMeantForNobodyOrEverybodyIsForNoHost(text: String) {
    #expect(Netrc(text)["e.org"] == nil)
  }

  @Test func aPasswordMayHaveSpacesAndQuotes() {
    let netrc = Netrc("machine e.org login me password \"a \\\"b\\\" c\"")
    #expect(netrc["e.org"]?.password == "a \"b\" c")
  }
}
