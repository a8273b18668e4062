import Glibc
import Locks
import TestSupport

/// A network of two hosts: this host with the test origin, and a namespace in which the daemon
/// runs.
///
/// Packets are filtered only inside of the namespace, where nothing else runs.
final class TestNetwork: Sendable {
  /// The address of this host, and that of the namespace.
  let near: String
  let far: String
  /// Another address of this host.
  let other = "10.213.255.1"
  /// The address that `addThird` adds.
  static let third = "10.213.255.2"
  private let name: String
  private let link: String
  private let names = Locked<ChildProcess?>(nil)

  private static let count = Locked(0)

  /// All addresses of such networks.
  static let addresses = "10.213.0.0/16"

  /// The reason why there can be no network; nil if there can.
  static let obstacle: String? = {
    guard geteuid() == 0 else { return "namespaces need root" }
    let missing = ["ip", "ss", "nft", "nsenter", "dnsmasq"].filter { !isInstalled($0) }
    guard missing.isEmpty else { return "\(missing) are not installed" }
    do {
      _ = try TestNetwork()
      return nil
    } catch {
      return "no namespace: \(error)"
    }
  }()

  init() throws {
    let number = Self.count.withLock { count in
      count += 1
      return count
    }
    let (third, fourth) = (getpid() % 250, number * 4 % 252)
    near = "10.213.\(third).\(fourth + 1)"
    far = "10.213.\(third).\(fourth + 2)"
    name = "feedfs-\(getpid())-\(number)"
    link = "ff\(getpid() % 100_000)n\(number)"
    try Self.run("ip", "netns", "add", name)
    do {
      try Self.run("ip", "link", "add", link, "type", "veth", "peer", "name", "far", "netns", name)
      try Self.run("ip", "addr", "add", "\(near)/30", "dev", link)
      try Self.run("ip", "addr", "add", "\(other)/32", "dev", link)
      try Self.run("ip", "link", "set", link, "up")
      try Self.run("ip", "-n", name, "addr", "add", "\(far)/30", "dev", "far")
      try Self.run("ip", "-n", name, "link", "set", "lo", "up")
      try Self.run("ip", "-n", name, "link", "set", "far", "up")
      try Self.run("ip", "-n", name, "route", "add", other, "via", near)
      try Self.run(
        inside([
          "nft",
          "add table inet feedfs; add chain inet feedfs in { type filter hook input priority 0; }",
        ]))
    } catch {
      _ = try? ChildProcess.run(["ip", "netns", "del", name])
      throw error
    }
  }

  deinit {
    names.withLock { $0?.killGroup() }
    _ = try? ChildProcess.run(["ip", "link", "del", link])
    _ = try? ChildProcess.run(["ip", "netns", "del", name])
  }

  /// `command`, run in the namespace; files and mounts are the same there.
  func inside(_ command: [String]) -> [String] {
    ["nsenter", "--net=/run/netns/\(name)"] + command
  }

  /// Sets what happens to packets from the origin, in the words of nftables, such as `drop`.
  func filter(_ what: String) throws {
    try Self.run(inside(["nft", "add rule inet feedfs in iifname far \(what)"]))
  }

  /// Lets every packet arrive again.
  func letAllPass() throws {
    try Self.run(inside(["nft", "flush chain inet feedfs in"]))
  }

  func setLink(up: Bool) throws {
    try Self.run("ip", "-n", name, "link", "set", "far", up ? "up" : "down")
  }

  /// Adds an interface with these addresses inside of the namespace; IPv6 ones are in brackets.
  func addInterface(with addresses: [String]) throws {
    try Self.run("ip", "-n", name, "link", "add", "own", "type", "veth", "peer", "name", "other")
    for address in addresses {
      let bare = address.filter { !"[]".contains($0) }
      let options = bare.contains(":") ? ["/64", "nodad"] : ["/24"]
      try Self.run(
        ["ip", "-n", name, "addr", "add", bare + options[0], "dev", "own"] + options.dropFirst())
    }
    for end in ["own", "other"] { try Self.run("ip", "-n", name, "link", "set", end, "up") }
  }

  /// Adds a third address of this host.
  func addThird() throws {
    try Self.run("ip", "addr", "add", "\(Self.third)/32", "dev", link)
    try Self.run("ip", "-n", name, "route", "add", Self.third, "via", near)
  }

  /// Adds an address of IPv6 to the link. No other host has one there, so nobody answers.
  func addDeadNeighbours(as address: String) throws {
    try Self.run("ip", "-n", name, "addr", "add", address + "/64", "dev", "far", "nodad")
  }

  /// The namespace's own ports of its connections to `port`.
  func ports(to port: Int) throws -> [Int] {
    let outcome = try ChildProcess.run(inside(["ss", "-Htn", "dport", "=", ":\(port)"]))
    return outcome.out.split(separator: "\n").compactMap { line in
      let local = line.split(whereSeparator: \.isWhitespace).dropFirst(3).first
      return local?.split(separator: ":").last.flatMap { Int($0) }
    }
  }

  /// Starts or restarts the name server that this machine's resolver asks.
  ///
  /// - Parameters:
  ///   - known: true if the server knows `*.test`, all at this host's address; false if it says
  ///     that there is no such name.
  ///   - dead: another address of these names, of IPv6, where nobody answers.
  func answerNames(known: Bool, dead: String? = nil) throws {
    let answers = known ? [near] + (dead.map { [$0] } ?? []) : []
    try answerNames(as: answers)
  }

  /// Starts or restarts the name server, so that `*.test` has these addresses; none: there is no such
  /// name.
  func answerNames(as addresses: [String]) throws {
    stopNames()
    let server = Self.nameServer
    _ = try? ChildProcess.run(["ip", "-n", name, "addr", "add", "\(server)/32", "dev", "lo"])
    let answers =
      addresses.isEmpty ? ["--local=/test/"] : addresses.map { "--address=/test/\($0)" }
    let child = try ChildProcess(
      inside(
        [
          "dnsmasq", "--keep-in-foreground", "--log-facility=-", "--no-hosts", "--no-resolv",
          "--conf-file=/dev/null", "--bind-interfaces", "--listen-address=\(server)",
          "--user=root", "--pid-file=",
        ] + answers))
    guard child.errors.wait(timeout: .seconds(20), until: { $0.contains("started") }) else {
      throw TestToolError("no name server: \(child.errors.text)")
    }
    names.withLock { $0 = child }
  }

  /// Ends the name server: its address does not answer.
  func stopNames() {
    let child = names.withLock { names in
      defer { names = nil }
      return names
    }
    child?.killGroup()
    _ = child?.wait(timeout: .seconds(10))
  }

  /// Freezes the name server: it hears and says nothing.
  func freezeNames() {
    names.withLock { $0?.freeze() }
  }

  private static let nameServer: String = {
    let lines = contents(of: "/etc/resolv.conf").split(separator: "\n")
    let server = lines.first { $0.hasPrefix("nameserver ") }?.split(separator: " ").dropFirst()
      .first
    return server.map(String.init) ?? "127.0.0.1"
  }()

  private static func run(_ command: String...) throws {
    try run(command)
  }

  private static func run(_ command: [String]) throws {
    let outcome = try ChildProcess.run(command, timeout: .seconds(30))
    guard outcome.status == 0 else {
      throw TestToolError("\(command.joined(separator: " ")): \(outcome.err)")
    }
  }
}
