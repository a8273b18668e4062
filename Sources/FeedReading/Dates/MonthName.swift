/// Names of months in several languages.
enum MonthName {
  /// Returns 1 for January and so on; nil if the letters begin no month, or several months of one
  /// language. The letters are a full name, or at least its first three letters, with or without a
  /// full stop.
  static func number(of word: Substring) -> Int? {
    numbers[word.lowercased().filter { $0 != "." }]
  }

  private static let numbers: [String: Int] = {
    var numbers: [String: Int] = [:]
    for months in languages {
      var found: [String: Set<Int>] = [:]
      for (index, spellings) in months.enumerated() {
        for name in spellings {
          for length in 3...name.count {
            found[String(name.prefix(length)), default: []].insert(index + 1)
          }
        }
      }
      for (name, months) in found where months.count == 1 && numbers[name] == nil {
        numbers[name] = months.first
      }
    }
    return numbers
  }()

  /// The names of the twelve months in each language, English first. A month can have several
  /// spellings.
  private static let languages: [[[Substring]]] = [
    "january february march april may june july august september october november december",
    "januar|jänner februar|feber märz|mrz april mai juni juli august september oktober november dezember",
    "janvier février|fevrier mars avril mai juin juillet août|aout septembre octobre novembre décembre|decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março|marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart|mrt april mei juni juli augustus september oktober november december",
    "január február|februári március április május június július augusztus szeptember október november december",
    """
    ιανουάριος|ιανουαρίου φεβρουάριος|φεβρουαρίου μάρτιος|μαρτίου|μάώ|μαώ απρίλιος|απριλίου \
    μάιος|μαΐου|μαϊ|μαι ιούνιος|ιουνίου|ιον ιούλιος|ιουλίου|ιολ αύγουστος|αυγούστου \
    σεπτέμβριος|σεπτεμβρίου οκτώβριος|οκτωβρίου νοέμβριος|νοεμβρίου δεκέμβριος|δεκεμβρίου
    """,
  ].map { $0.split(separator: " ").map { $0.split(separator: "|") } }
}
