import CXML

/// The characters of HTML's references.
enum HTMLEntity {
  /// Returns the character of a name. It knows all names of HTML 4, and HTML 5's names of
  /// punctuation.
  static func scalar(named name: String) -> Unicode.Scalar? {
    punctuation[name] ?? html4(name)
  }

  private static let punctuation: [String: Unicode.Scalar] = [
    "Tab": "\t", "NewLine": "\n", "excl": "!", "num": "#", "dollar": "$", "percnt": "%",
    "apos": "'", "lpar": "(", "rpar": ")", "ast": "*", "plus": "+", "comma": ",", "period": ".",
    "sol": "/", "colon": ":", "semi": ";", "equals": "=", "quest": "?", "commat": "@",
    "lsqb": "[", "lbrack": "[", "bsol": "\\", "rsqb": "]", "rbrack": "]", "Hat": "^",
    "lowbar": "_", "grave": "`", "lcub": "{", "lbrace": "{", "verbar": "|", "vert": "|",
    "rcub": "}", "rbrace": "}", "hyphen": "\u{2010}", "dash": "\u{2010}",
  ]

  /// Returns the character of `&#…;`. `digits` is the text between "&#" and ";".
  static func scalar(numbered digits: Substring) -> Unicode.Scalar? {
    let isHexadecimal = digits.first == "x" || digits.first == "X"
    let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init)
  }

  /// Returns the character that HTML 4 means by `&name;`, as libxml2 knows it.
  private static func html4(_ name: String) -> Unicode.Scalar? {
    htmlEntityLookup(name).flatMap { Unicode.Scalar($0.pointee.value) }
  }
}
