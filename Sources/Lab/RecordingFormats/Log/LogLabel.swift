internal import Transcripts

/// What stands before the bytes of a log line: the words or the sign that name the direction.
struct LogLabel: Hashable {
  enum Side { case command, response }

  /// Words that belong together. Which of both sides a weak family means follows from the commands beneath it: a card
  /// that logs receives commands.
  enum Family: Hashable {
    /// Words such as `command` and `response` mean the same in every log.
    case named
    case arrow
    case sent
    case inOut
    case initial
    case party
    /// `APDU:` alone: the bytes decide.
    case apdu
    /// No word of a direction.
    case none
  }

  let family: Family
  let side: Side?
  /// The words, or the sign.
  let key: String
  /// Whether the bytes are the status word alone, and the data follow or came before.
  var isStatus: Bool { key.begins(with: "status") || key == "sw" || key.begins(with: "sw ") }

  private static let named: [String: Side] = [
    "command": .command, "commands": .command, "cmd": .command, "capdu": .command, "request": .command, "req": .command,
    "response": .response, "responses": .response, "resp": .response, "res": .response, "reply": .response,
    "answer": .response, "rsp": .response, "rapdu": .response, "sw": .response, "status": .response,
  ]
  private static let sent: [String: Side] = [
    "send": .command, "sending": .command, "sent": .command, "tx": .command, "transmit": .command,
    "transmitting": .command, "outgoing": .command, "write": .command, "recv": .response, "received": .response,
    "receive": .response, "receiving": .response, "rcv": .response, "rx": .response, "incoming": .response,
    "read": .response, "got": .response,
  ]
  private static let inOut: [String: Side] = ["in": .command, "out": .response]
  /// A letter alone, as in `C: 00A40400` and `R: 9000`.
  private static let initials: [String: Side] = ["c": .command, "s": .command, "r": .response]
  private static let parties: [String: Side] = [
    "reader": .command, "terminal": .command, "pcd": .command, "host": .command, "rdr": .command, "card": .response,
    "picc": .response, "icc": .response, "tag": .response,
  ]
  private static let arrows: [UInt8] = Array("<>=-".utf8)
  private static let wordCount = 3
  /// The longest arrow, such as `<----`.
  private static let arrowCount = 8
  /// Words before a number that is no byte, such as `cbRecvLength: 1200`.
  private static let numbers = ["count", "handle", "index", "len", "length", "number", "offset", "size", "timeout"]
  /// Who receives what stands after an arrow: `Terminal -> Card:`.
  private static let targets: [String: Side] = [
    "card": .command, "c": .command, "icc": .command, "picc": .command, "tag": .command, "chip": .command,
    "phone": .command, "terminal": .response, "t": .response, "pos": .response, "ifd": .response, "pcd": .response,
    "reader": .response, "host": .response, "pc": .response, "pinpad": .response,
  ]

  /// Reads the label at the end of a text.
  init(endOf text: ArraySlice<UInt8>) {
    var end = Self.withoutMarks(text)
    for name in ["T=0", "T=1", "T=CL", "data", "hex"] where end.hasWord(name) {
      end = Self.withoutMarks(end.dropLast(name.utf8.count))
    }
    end = Self.withoutName(end)
    if let element = Self.element(end) {
      self.init(words: [element])
    } else if let route = Self.route(end) {
      self = route
    } else if let arrow = Self.arrow(end) {
      self = arrow
    } else {
      let label = LogLabel(words: Self.words(end))
      self = label.family == .none ? Self.leadingArrow(end) ?? label : label
    }
  }

  /// The text without the name of a command or response in brackets: `>> [SELECT PPSE]`.
  private static func withoutName(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.last == 0x5D, let start = text.suffix(maximumNameCount).lastIndex(of: 0x5B),
      text[start...].contains(where: \.isLetter)
    else { return text }
    return text[..<start].withoutBlanksAtEnd
  }

  private static let maximumNameCount = 48

  /// The arrow that begins a text: `--> SELECT PPSE:`. A sign of one character quotes.
  private static func leadingArrow(_ text: ArraySlice<UInt8>) -> LogLabel? {
    let start = text.drop { $0 <= 0x20 }
    let sign = start.prefix { arrows.contains($0) }
    return sign.count > 1 && sign.count < start.count ? arrow(sign) : nil
  }

  /// The text without the marks before bytes, but for those of an arrow.
  private static func withoutMarks(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var end = text
    while let last = end.last, last <= 0x20 || Array(":=,\"'`([{*#]|".utf8).contains(last),
      last != 0x3D || !isArrow(end)
    {
      end = end.dropLast()
    }
    return end
  }

  private init(family: Family, side: Side?, key: String) { (self.family, self.side, self.key) = (family, side, key) }

  /// Finds the direction of words, the last word first.
  private init(words: [String]) {
    var words = words
    if words.count > 1, words[0] == "apdu", words[1] == "c" || words[1] == "r" { words[0...1] = [words[1] + "apdu"] }
    let key = words.joined(separator: " ")
    if let last = words.first, Self.isNumber(last) {
      self.init(family: .none, side: nil, key: key)
    } else if let word = words.first(where: { Self.named[$0] != nil }) {
      self.init(family: .named, side: Self.named[word], key: key)
    } else if let word = words.first(where: { Self.sent[$0] != nil }) {
      self.init(family: .sent, side: Self.sent[word], key: key)
    } else if let word = words.first, let side = Self.inOut[word] {
      self.init(family: .inOut, side: side, key: key)
    } else if words.count == 1, let side = Self.initials[words[0]] {
      self.init(family: .initial, side: side, key: key)
    } else if words.contains("apdu") {
      self.init(family: .apdu, side: nil, key: key)
    } else if let word = words.first, let side = Self.parties[word] {
      self.init(family: .party, side: side, key: key)
    } else {
      self.init(family: .none, side: nil, key: key)
    }
  }

  private static func isNumber(_ word: String) -> Bool { numbers.contains { word.hasSuffix($0) } }

  private static func isArrow(_ text: ArraySlice<UInt8>) -> Bool {
    text.suffix(arrowCount).contains { $0 == 0x3C || $0 == 0x3E }
  }

  private static func arrow(_ text: ArraySlice<UInt8>) -> LogLabel? {
    let sign = text.suffix(arrowCount).reversed().prefix { arrows.contains($0) }
    let (left, right) = (sign.contains(0x3C), sign.contains(0x3E))
    if left != right {
      return LogLabel(
        family: .arrow, side: right ? .command : .response, key: String(decoding: sign.reversed(), as: UTF8.self))
    }
    for (sign, side) in signs where text.suffix(sign.utf8.count).elementsEqual(sign.utf8) {
      return LogLabel(family: .arrow, side: side, key: sign)
    }
    return nil
  }

  private static let signs = [("→", Side.command), ("»", .command), ("←", .response), ("«", .response)]

  /// The name of an element of XML that begins here: `<rapdu>`.
  private static func element(_ text: ArraySlice<UInt8>) -> String? {
    guard text.last == 0x3E else { return nil }
    let name = text.dropLast().reversed().prefix(while: \.isLetter)
    guard !name.isEmpty, text.dropLast(name.count + 1).last == 0x3C else { return nil }
    return String(decoding: name.reversed(), as: UTF8.self).lowercased()
  }

  /// The direction of two parties with an arrow between them: `T → C:` or `ICC->IFD`. The one at the head of the arrow
  /// receives the bytes.
  private static func route(_ text: ArraySlice<UInt8>) -> LogLabel? {
    let second = text.reversed().prefix(while: \.isLetter)
    let before = text.dropLast(second.count).withoutBlanksAtEnd
    guard !second.isEmpty, let sign = arrow(before), sign.family == .arrow else { return nil }
    let first = before.dropLast(sign.key.utf8.count).withoutBlanksAtEnd.reversed().prefix(while: \.isLetter)
    let names = [first, second].map { String(decoding: $0.reversed(), as: UTF8.self).lowercased() }
    guard let sides = (targets[names[0]], targets[names[1]]) as? (Side, Side), sides.0 != sides.1 else { return nil }
    // An arrow to the left names the receiver first.
    return LogLabel(
      family: .named, side: sign.side == .command ? sides.1 : sides.0, key: names.joined(separator: sign.key))
  }

  /// The last words in small letters, the last one first. A digit before a word ends the search.
  private static func words(_ text: ArraySlice<UInt8>) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    func end() {
      if !word.isEmpty { words.append(String(decoding: word.reversed(), as: UTF8.self).lowercased()) }
      word = []
    }
    for octet in text.suffix(64).reversed() {
      if octet.isLetter {
        // A capital after a small letter begins a word inside a name: processCommandApdu.
        if octet & 0x20 != 0, let last = word.last, last & 0x20 == 0 { end() }
        word.append(octet)
      } else if Array(" _-:.()\"'#*=/".utf8).contains(octet) {
        end()
      } else {
        break
      }
      if words.count == wordCount { break }
    }
    if words.count < wordCount { end() }
    return words
  }
}

extension ArraySlice<UInt8> {
  fileprivate var withoutBlanksAtEnd: ArraySlice<UInt8> {
    var text = self
    while text.last == 0x20 { text = text.dropLast() }
    return text
  }

  /// Whether the bytes end with a word.
  fileprivate func hasWord(_ word: String) -> Bool {
    suffix(word.utf8.count).elementsEqual(word.utf8)
      && dropLast(word.utf8.count).last.map { !$0.isLetter } ?? true
  }
}

extension LogLabel {
  /// The label of a command or response that stand on one line.
  init(pairedAs side: Side) { self.init(family: .named, side: side, key: side == .command ? "pair" : "of pair") }

  /// The label of a packet to or from an NFC chip. In a phone that is a card the chip receives commands.
  init(ofChip side: Side) { self.init(family: .sent, side: side, key: side == .command ? "to chip" : "from chip") }

  /// The label of a line without a direction: what stands before its bytes, without digits.
  init(withoutDirection key: String) { self.init(family: .none, side: nil, key: key) }
}
