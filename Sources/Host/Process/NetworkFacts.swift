import Glibc
import HTTP

/// The addresses, routes and name servers by which this computer reaches others.
package struct NetworkFacts: Equatable, Sendable {
  var addresses: Set<IPAddress> = []
  /// One line per route, without the columns that are only counters.
  var routes: Set<String> = []
  var nameServers = ""

  /// Reads the current facts. A part that cannot be read is empty.
  package static let now: @Sendable () -> NetworkFacts = {
    NetworkFacts(
      addresses: OwnAddresses.now(),
      routes: routes(in: text(of: "/proc/net/route"), without: 4...6)
        .union(routes(in: text(of: "/proc/net/ipv6_route"), without: 5...7)),
      nameServers: text(of: resolverFile))
  }

  static let resolverFile = "/etc/resolv.conf"

  /// Returns the routes of a kernel table, which has one route per line.
  ///
  /// - Parameter columns: columns to leave out because they change by themselves. These are
  ///   counters, and metrics of an unchanged route.
  static func routes(in table: String, without columns: ClosedRange<Int>) -> Set<String> {
    Set(
      table.split(separator: "\n").map { line in
        line.split(whereSeparator: \.isWhitespace).enumerated()
          .filter { !columns.contains($0.offset) }.map(\.element).joined(separator: " ")
      })
  }

  private static func text(of path: String) -> String {
    guard let file = fopen(path, "re") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0, bytes.count < maxBytes
    {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let maxBytes = 1 << 20  // bytes
}
