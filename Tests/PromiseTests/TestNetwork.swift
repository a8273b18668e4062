import Glibc
import NIOConcurrencyHelpers
import TestSupport

/// A network of two hosts: this one, with the test origin, and a namespace in which the daemon runs.
///
/// What it does to packets it does inside of the namespace, where nobody else lives.
final class TestNetwork: Sendable {
  /// This host's address, and the other's.
  let near: String
  let far: String
  private let name: String
  private let link: String
  private let names = NIOLockedValueBox<ChildProcess?>(nil)

  private static let count = NIOLockedValueBox(0)

  /// All addresses of such networks.
  static let addresses = "10.213.0.0/16"

  /// Why there cannot be one; nil if there can.
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
    let number = Self.count.withLockedValue { count in
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
      try Self.run("ip", "link", "set", link, "up")
      try Self.run("ip", "-n", name, "addr", "add", "\(far)/30", "dev", "far")
      try Self.run("ip", "-n", name, "link", "set", "lo", "up")
      try Self.run("ip", "-n", name, "link", "set", "far", "up")
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
    names.withLockedValue { $0?.killGroup() }
    _ = try? ChildProcess.run(["ip", "link", "del", link])
    _ = try? ChildProcess.run(["ip", "netns", "del", name])
  }

  /// `command`, run in the namespace; files and mounts are the same there.
  func inside(_ command: [String]) -> [String] {
    ["nsenter", "--net=/run/netns/\(name)"] + command
  }

  /// What becomes of what the origin sends: nftables' words for a packet, as `drop`.
  func filter(_ what: String) throws {
    try Self.run(inside(["nft", "add rule inet feedfs in iifname far \(what)"]))
  }

  /// Every packet arrives again.
  func letAllPass() throws {
    try Self.run(inside(["nft", "flush chain inet feedfs in"]))
  }

  func setLink(up: Bool) throws {
    try Self.run("ip", "-n", name, "link", "set", "far", up ? "up" : "down")
  }

  /// An interface of the namespace alone, with these addresses; those of IPv6 are in brackets.
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

  /// The namespace's own ports of its connections to `port`.
  func ports(to port: Int) throws -> [Int] {
    let outcome = try ChildProcess.run(inside(["ss", "-Htn", "dport", "=", ":\(port)"]))
    return outcome.out.split(separator: "\n").compactMap { line in
      let local = line.split(whereSeparator: \.isWhitespace).dropFirst(3).first
      return local?.split(separator: ":").last.flatMap { Int($0) }
    }
  }

  /// Starts, or starts anew, the name server that this machine's resolver asks.
  ///
  /// - Parameter known: whether it knows `*.test`, all at this host's address, or says that there is
  ///   no such name.
  func answerNames(known: Bool) throws {
    stopNames()
    let server = Self.nameServer
    _ = try? ChildProcess.run(["ip", "-n", name, "addr", "add", "\(server)/32", "dev", "lo"])
    let answer = known ? "--address=/test/\(near)" : "--local=/test/"
    let child = try ChildProcess(
      inside([
        "dnsmasq", "--keep-in-foreground", "--log-facility=-", "--no-hosts", "--no-resolv",
        "--conf-file=/dev/null", "--bind-interfaces", "--listen-address=\(server)",
        "--user=root", "--pid-file=", answer,
      ]))
    guard child.errors.wait(timeout: .seconds(20), until: { $0.contains("started") }) else {
      throw TestToolError("no name server: \(child.errors.text)")
    }
    names.withLockedValue { $0 = child }
  }

  /// Nobody answers at the name server's address.
  func stopNames() {
    let child = names.withLockedValue { names in
      defer { names = nil }
      return names
    }
    child?.killGroup()
    _ = child?.wait(timeout: .seconds(10))
  }

  /// The name server hears and says nothing.
  func freezeNames() {
    names.withLockedValue { $0?.freeze() }
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
