import ArgumentParser
import Control
import FeedMount

struct CacheVerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Compare what is kept with its checksums.",
    discussion: "What is wrong is thrown away, and fetched again by who reads it.")

  @Argument(help: "Files; by default everything.")
  var files: [String] = []

  @OptionGroup
  var options: CacheOptions

  /// What came of it: as JSON, too.
  private struct Outcome: Encodable {
    var schema = 1
    var files = 0
    /// Bytes that were compared.
    var checked = 0
    /// Blocks of 64 KiB that were wrong, by file.
    var wrong: [String: Int] = [:]
  }

  func run() async throws {
    try await Caches.with(options) { caches in
      let meant = try caches.meant(by: files).map { place, names in
        (place, place.listing.files.filter { names.isEmpty || names.contains($0.name) })
      }
      let whole = meant.flatMap(\.1).reduce(0) { $0 + max($1.cached, $1.stored) }
      var progress = ProgressBar("verified", of: whole)
      var outcome = Outcome()
      for (place, items) in meant {
        for item in items { try await verify(item.name, in: place, &outcome, &progress) }
      }
      progress.end()
      tell(outcome)
    }
  }

  private func verify(
    _ name: String, in place: Caches.Place, _ outcome: inout Outcome,
    _ progress: inout ProgressBar
  ) async throws(MountError) {
    outcome.files += 1
    var next: String?
    repeat {
      let checked = try await place.ask(.verify(name, from: next), as: CheckOutcome.self)
      outcome.checked += checked.checked
      if checked.wrong > 0 { outcome.wrong[name, default: 0] += checked.wrong }
      next = checked.next
      progress.show(outcome.checked, at: name)
    } while next != nil
  }

  private func tell(_ outcome: Outcome) {
    guard !options.json else {
      return say(json: (try? Wire.encode(outcome, pretty: true)) ?? [])
    }
    say("verified \(Quantity.count(outcome.files, "file")), \(Quantity.bytes(outcome.checked))")
    for (name, blocks) in outcome.wrong.sorted(by: { $0.key < $1.key }) {
      say(
        "\(name): \(Quantity.count(blocks, "block")) of 64 KiB were wrong; they will be fetched again"
      )
    }
    if outcome.wrong.isEmpty { say("nothing is wrong") }
  }
}
