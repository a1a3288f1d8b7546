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
  var isStatus: Bool { key.begins(with: "status") }

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
  private static let parties: [String: Side] = [
    "reader": .command, "terminal": .command, "pcd": .command, "host": .command, "rdr": .command, "card": .response,
    "picc": .response, "icc": .response, "tag": .response,
  ]
  private static let arrows: [UInt8] = Array("<>=-".utf8)
  private static let wordCount = 3

  /// Reads the label at the end of a text.
  init(endOf text: ArraySlice<UInt8>) {
    var end = text
    while let last = end.last, last <= 0x20 || Array(":=,\"'([{*#]|".utf8).contains(last),
      last != 0x3D || !Self.isArrow(end)
    {
      end = end.dropLast()
    }
    for name in ["T=0", "T=1", "T=CL", "data", "hex"] where end.hasWord(name) {
      end = end.dropLast(name.utf8.count)
      while let last = end.last, last <= 0x20 { end = end.dropLast() }
    }
    if let arrow = Self.arrow(end) {
      self = arrow
    } else {
      self = LogLabel(words: Self.words(end))
    }
  }

  private init(family: Family, side: Side?, key: String) { (self.family, self.side, self.key) = (family, side, key) }

  /// Finds the direction of words, the last word first.
  private init(words: [String]) {
    var words = words
    if words.count > 1, words[0] == "apdu", words[1] == "c" || words[1] == "r" { words[0...1] = [words[1] + "apdu"] }
    let key = words.joined(separator: " ")
    if let word = words.first(where: { Self.named[$0] != nil }) {
      self.init(family: .named, side: Self.named[word], key: key)
    } else if let word = words.first(where: { Self.sent[$0] != nil }) {
      self.init(family: .sent, side: Self.sent[word], key: key)
    } else if let word = words.first, let side = Self.inOut[word] {
      self.init(family: .inOut, side: side, key: key)
    } else if words.contains("apdu") {
      self.init(family: .apdu, side: nil, key: key)
    } else if let word = words.first, let side = Self.parties[word] {
      self.init(family: .party, side: side, key: key)
    } else {
      self.init(family: .none, side: nil, key: key)
    }
  }

  private static func isArrow(_ text: ArraySlice<UInt8>) -> Bool {
    text.suffix(4).contains { $0 == 0x3C || $0 == 0x3E }
  }

  private static func arrow(_ text: ArraySlice<UInt8>) -> LogLabel? {
    let sign = text.suffix(4).reversed().prefix { arrows.contains($0) }
    let (left, right) = (sign.contains(0x3C), sign.contains(0x3E))
    if left != right {
      return LogLabel(
        family: .arrow, side: right ? .command : .response, key: String(decoding: sign.reversed(), as: UTF8.self))
    }
    for (sign, side) in [("→", Side.command), ("»", .command), ("←", .response), ("«", .response)]
    where text.suffix(sign.utf8.count).elementsEqual(sign.utf8) {
      return LogLabel(family: .arrow, side: side, key: sign)
    }
    return nil
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
  /// Whether the bytes end with a word.
  fileprivate func hasWord(_ word: String) -> Bool {
    suffix(word.utf8.count).elementsEqual(word.utf8)
      && dropLast(word.utf8.count).last.map { !$0.isLetter } ?? true
  }
}

extension LogLabel {
  /// The label of a line without a direction: what stands before its bytes, without digits.
  init(withoutDirection key: String) { self.init(family: .none, side: nil, key: key) }
}
