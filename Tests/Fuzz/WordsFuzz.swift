// Built with modules that a sanitizer watches: see fuzz.sh.

import Addresses
import Blocks
import CCurl

@testable import HTTP

/// Checks for any words of a server that what is read out of them stays within bounds.
///
/// The first byte chooses the reader.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  let rest = Array(bytes.dropFirst())
  switch first & 3 {
  case 0: unpack(rest)
  case 1: takeCookies(lines(of: rest))
  case 2: readChallenges(lines(of: rest))
  default: readDates(lines(of: rest))
  }
  return 0
}

private func lines(of bytes: [UInt8]) -> [String] {
  bytes.split(separator: 10, omittingEmptySubsequences: false).prefix(500)
    .map { String(decoding: $0, as: UTF8.self) }
}

// MARK: Packed bodies

private func unpack(_ bytes: [UInt8]) {
  let limit = 4096
  let whole = try? Inflater.plain(bytes, limit: limit)
  let beginning = try? Inflater.beginning(bytes, limit: limit)
  precondition((whole ?? []).count <= limit && (beginning ?? []).count <= limit, "no bound")
  guard let whole else { return }
  precondition(beginning == whole, "the beginning of a short body is another one")
  precondition((try? Inflater.plain(bytes, limit: whole.count)) == whole, "it needs more room")
  let part = try? Inflater.beginning(Array(bytes.prefix(bytes.count / 2)), limit: limit)
  precondition(part.map { whole.starts(with: $0) } ?? true, "a part is no part of the whole")
}

// MARK: Cookies

/// Takes lines as libcurl may give them.
private func takeCookies(_ lines: [String]) {
  let found = lines.compactMap(Cookie.init(line:))
  for cookie in found {
    precondition(Cookie(line: cookie.line) == cookie, "a cookie is another one when it is given")
    precondition(!cookie.line.utf8.contains(10), "a cookie of two lines")
  }
  for mayNameDomains in [true, false] {
    var cookies = Cookies()
    cookies.take(
      found, given: [], from: "h.example.org", "https", mayNameDomains: mayNameDomains, now: 1000)
    check(cookies, mayNameDomains: mayNameDomains)
    let all = cookies.all
    cookies.take(
      all, given: all, from: "h.example.org", "https", mayNameDomains: mayNameDomains, now: 1000)
    precondition(cookies.all == all, "what was given changes what is kept")
    var twice = cookies
    twice.add(cookies)
    precondition(twice == cookies, "the same cookies again")
    cookies.take(
      [], given: all, from: "h.example.org", "https", mayNameDomains: mayNameDomains, now: 1000)
    precondition(cookies.isEmpty, "what was taken back is kept")
  }
}

private func check(_ cookies: Cookies, mayNameDomains: Bool) {
  precondition(cookies.all.reduce(0) { $0 + $1.size } <= Cookies.maxTotalBytes, "no bound")
  precondition(Set(cookies.all.map(\.key)).count == cookies.all.count, "a cookie twice")
  for cookie in cookies.all {
    precondition(cookie.belongs(to: "h.example.org"), "a cookie for another host")
    precondition(mayNameDomains || cookie.key.isHostOnly, "a domain that nobody knows")
  }
  let elsewhere = cookies.forHost("example.net", "https", now: 1000)
  precondition(elsewhere.isEmpty, "a cookie goes to another host")
  let plain = cookies.forHost("h.example.org", "http", now: 1000)
  precondition(plain.allSatisfy { !$0.isSecure }, "a secret cookie goes in the clear")
}

// MARK: Challenges

private func readChallenges(_ values: [String]) {
  let names = AuthScheme.names(in: values)
  for name in names {
    precondition((1...24).contains(name.utf8.count), "a long name")
    precondition(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a control is told")
    precondition(AuthScheme.names(in: [name]) == [name], "a name is none")
  }
  var password = Transfer.Password()
  password.begin()
  password.use(.basic)
  var head = ResponseHead(status: 401)
  for value in values { head.add("www-authenticate", value) }
  var rounds = 0
  while let next = password.next(for: head) {
    rounds += 1
    precondition(rounds <= 2, "a password without end")
    password.begin()
    password.use(next)
    var challenges = 0
    while password.isAnswered(head) {
      challenges += 1
      precondition(challenges <= Transfer.Password.maxChallenges, "challenges without end")
    }
  }
}

// MARK: Dates and codings

private func readDates(_ lines: [String]) {
  var head = ResponseHead(status: 206)
  for line in lines {
    let parts = line.split(separator: ":", maxSplits: 1)
    if parts.count == 2 { head.add(String(parts[0]), String(parts[1]).trimmed) }
  }
  if let date = StatedDate(head, now: 1_800_000_000) {
    precondition(!date.confirms(date), "a date confirms itself")
    var later = head
    later = ResponseHead(status: 206)
    later.add("Last-Modified", date.text)
    later.add("Date", "Fri, 31 Dec 9999 23:59:59 GMT")
    if let other = StatedDate(later, now: 0), other.confirms(date) {
      precondition(!date.confirms(other), "each is later than the other")
    }
    if case .lastModified(let text) = ResponseCheck.validator(of: head) {
      precondition(text == date.text && head.lastModified == text)
    }
  }
  let words = ContentCoding.words(of: head)
  precondition(words.allSatisfy { !$0.isEmpty && $0 == $0.lowercased() }, "no word")
  if ContentCoding.isDeflated(head) {
    precondition(ContentCoding.real(in: head) != nil, "packed without a coding")
  }
  if let real = ContentCoding.real(in: head) { precondition(real.tamed.utf8.count <= 60) }
}
