import Blocks
import HTTP

/// The check that each answer passes before a byte of it is written.
enum ResponseCheckSuite {
  static var benchmarks: [Benchmark] {
    let expected = Representation(length: 1 << 30, validator: .entityTag("\"v1\""))
    let request = RangeRequest(
      url: "https://h.org/v.mp4", range: .bytes(0..<8 << 20), expected: expected)
    let place = "bytes 0-\((8 << 20) - 1)/\(1 << 30)"
    return [
      ("a part", head(206, place, tag: "\"v1\"")),
      ("another version's", head(206, place, tag: "\"v2\"")),
      ("another place's", head(206, "bytes 9-99/100", tag: "\"v1\"")),
    ].map { name, head in
      Benchmark("ResponseCheck: \(name)") {
        kept(ResponseCheck.verdict(of: head, for: request, now: 1_800_000_000))
      }
    }
  }

  private static func head(_ status: Int, _ place: String, tag: String) -> ResponseHead {
    ResponseHead(
      status: status,
      [
        "Server": "nginx", "Date": "Tue, 15 Nov 1994 12:45:26 GMT", "Content-Type": "video/mp4",
        "Content-Range": place, "ETag": tag, "Accept-Ranges": "bytes",
        "Cache-Control": "max-age=60",
      ])
  }
}
