/// Reads the words of Content-Encoding (RFC 9110 §8.4).
///
/// Servers also send words that are no coding: `none`, `utf-8`, `binary`, `7bit`, `aws-chunked`, or
/// an empty field. Such a word says nothing about the bytes, so it is ignored, as browsers do.
enum ContentCoding {
  /// Returns the words of all fields, in lower case and in their order, without empty ones.
  static func words(of head: ResponseHead) -> [String] {
    head.values("content-encoding").flatMap { $0.split(separator: ",") }
      .map { $0.trimmed.lowercased() }.filter { !$0.isEmpty }
  }

  /// Returns the value of Content-Encoding if it names a coding that changes the bytes; otherwise
  /// nil.
  static func real(in head: ResponseHead) -> String? {
    guard words(of: head).contains(where: codings.contains) else { return nil }
    return head.values("content-encoding").joined(separator: ", ")
  }

  /// Whether the only coding is gzip or deflate.
  static func isDeflated(_ head: ResponseHead) -> Bool {
    let real = words(of: head).filter(codings.contains)
    return real.count == 1 && ["gzip", "x-gzip", "deflate"].contains(real[0])
  }

  /// Whether one of the words is no known coding. libcurl fails at such a word if it unpacks the
  /// body.
  static func hasWordsThatAreNone(_ head: ResponseHead) -> Bool {
    words(of: head).contains { $0 != "identity" && !codings.contains($0) }
  }

  /// The codings of the registry (RFC 9110 §16.6.1), and others that servers use.
  private static let codings: Set<String> = [
    "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip",
    "x-compress", "x-gzip", "zstd", "bzip2", "x-bzip2", "lzma", "x-lzma", "xz", "lz4", "snappy",
  ]
}
