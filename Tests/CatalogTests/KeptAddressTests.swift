import Addresses
import Foundation
import Testing

@testable import Catalog
@testable import FeedReading

/// Keys and ids are on disk, so an address gives the same ones in every version.
///
/// The tables are of the version that had a parser of its own for them. A row has `sent` if libcurl
/// read the address too: nothing else was ever fetched, or kept.
@Suite(.timeLimit(.minutes(1))) struct KeptAddressTests {
  private typealias Row = [String: String]

  private static func rows(_ name: String) throws -> [Row] {
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let url = URL(filePath: "/\(tests)/Fixtures/\(name).json")
    return try JSONDecoder().decode([Row].self, from: Data(contentsOf: url))
  }

  @Test func aTypedAddressHasTheKeyOfTheVersionBefore() throws {
    let rows = try Self.rows("addresses-typed")
    #expect(rows.count > 250)
    for row in rows where row["error"] == nil {
      let typed = try #require(row["typed"])
      guard let key = try? FeedKey(typed) else {
        #expect(row["sent"] == nil && row["path"] == nil, "\(typed)")
        continue
      }
      #expect(key.value == row["key"], "\(typed)")
      #expect(String(key.number, radix: 16) == row["number"], "\(typed)")
      #expect(key.shown == row["shown"] && key.displayHost == row["displayHost"], "\(typed)")
      #expect(try FeedKey.validate(typed) == row["valid"] && key.path == row["path"], "\(typed)")
    }
  }

  /// libcurl reads percent-encoded hosts, as browsers do.
  private static let newlyRead = ["http://a%62/", "http://%41.example/", "http://a%C3%BCb/"]

  @Test func whatWasRefusedStillIs() throws {
    for row in try Self.rows("addresses-typed") where row["error"] != nil {
      let typed = try #require(row["typed"])
      #expect(((try? FeedKey(typed)) != nil) == Self.newlyRead.contains(typed), "\(typed)")
    }
  }

  @Test(arguments: ["addresses-typed", "addresses-in-feeds"])
  func theSameIsSentAndShown(table: String) throws {
    for row in try Self.rows(table) {
      guard let sent = row["sent"], let text = row["valid"] ?? row["address"] else { continue }
      let address = try WebAddress(parsing: text)
      #expect(address.text == sent && address.shown == row["logged"], "\(text)")
      #expect(address.origin.description == row["origin"], "\(text)")
      #expect(address.credentials?.user == row["user"], "\(text)")
      #expect(address.credentials?.password == row["password"], "\(text)")
    }
  }

  /// The references that have another address now: browsers have it too. Those that are written
  /// otherwise, and mean the same, are told by `likeness`.
  private static let moved: [String: String] = [
    // A scheme's double use.
    "feed://https://h/x": "https://h/x",
    // A zone, which means nothing on another computer.
    "http://[fe80::1%eth0]/v": "http://[fe80::1%25eth0]/v",
    // Without a base; documents have one.
    "http://h/a/../b": "http://h/b",
  ]

  @Test func anEntryKeepsItsIdOrIsKnownByItsAddress() throws {
    let rows = try Self.rows("addresses-in-feeds")
    var same = 0
    for row in rows {
      guard let reference = row["reference"], let base = row["base"], let old = row["address"]
      else {
        continue
      }
      guard let new = WebAddress.usable(reference, base: base) else {
        #expect(row["sent"] == nil, "\(reference)")
        continue
      }
      if WebAddress.identity(of: new) == row["id"] {
        same += 1
      } else if row["sent"] != nil, Self.moved[reference] != new {
        #expect(WebAddress.likeness(of: new) == WebAddress.likeness(of: old), "\(reference)")
      }
    }
    #expect(same > 195, "\(same)")
  }

  @Test func whatHadNoAddressHasOneOnlyWhereABrowserFindsIt() throws {
    for row in try Self.rows("addresses-in-feeds") where row["refused"] != nil {
      guard let reference = row["reference"], let base = row["base"] else { continue }
      let isFound = WebAddress.usable(reference, base: base) != nil
      let lacksSlashes = ["http:", "https:", "feed:"].contains { scheme in
        reference.hasPrefix(scheme) && !reference.hasPrefix(scheme + "//")
      }
      #expect(!isFound || lacksSlashes, "\(reference)")
    }
  }

  @Test func anEntryOfTheVersionBeforeStaysTheSameEntry() throws {
    let addresses = try Self.rows("addresses-in-feeds").filter { row in
      guard let reference = row["reference"], let base = row["base"], row["sent"] != nil,
        Self.moved[reference] == nil, let new = WebAddress.usable(reference, base: base)
      else { return false }
      return row["id"] != WebAddress.identity(of: new)
    }
    #expect(addresses.count > 2)
    for row in addresses {
      let (reference, base) = (try #require(row["reference"]), try #require(row["base"]))
      let (id, address) = (try #require(row["id"]), try #require(row["address"]))
      let new = try WebAddress.resolve(reference, base: base)
      guard WebAddress.likeness(of: new) == WebAddress.likeness(of: address) else { continue }
      let catalog = try Catalog.after(
        feed([video("other"), video(id, url: address)]),
        feed([video("other"), video(WebAddress.identity(of: new), url: new)]))

      #expect(catalog.numbering == "other \(id)")
      #expect(catalog.entry(number: 2)?.alias == WebAddress.identity(of: new))
    }
  }
}
