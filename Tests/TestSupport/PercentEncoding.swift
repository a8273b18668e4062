/// Encodes every byte except letters, digits and `-._~/` as `%XX`.
func percentEncoded(_ text: String) -> String {
  let kept = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
  let hex = Array("0123456789ABCDEF".utf8)
  return String(
    decoding: text.utf8.flatMap { byte -> [UInt8] in
      kept.contains(byte) ? [byte] : [37, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
    }, as: UTF8.self)
}
