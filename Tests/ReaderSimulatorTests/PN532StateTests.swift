import ISO7816
import Octets
import ReaderSimulator
import Testing

/// Every command in every state of the chip.
struct PN532StateTests {
  enum State: String, CaseIterable, Sendable {
    case fresh, fieldOn, listed, deselected, listening, activated, computing, released
  }

  /// A field with a chip in a state, and the index of that chip.
  static func chip(in state: State) -> (harness: FieldHarness, chip: Int) {
    switch state {
    case .fresh, .fieldOn, .listed, .deselected:
      var harness = FieldHarness()
      if state == .fieldOn { _ = harness.run([0x32, 0x01, 0x01]) }
      if state == .listed || state == .deselected { #expect(harness.list()?.prefix(2) == [0x4B, 0x01]) }
      _ = harness.run([0x32, 0x05, 0xFF, 0x01, 0xFF])
      if state == .deselected { #expect(harness.run([0x44, 0x01]) == [0x45, 0x00]) }
      return (harness, 0)
    case .listening, .activated, .computing, .released:
      var harness = FieldHarness(.pair)
      if state == .listening {
        _ = harness.run([0x12, 0x34], on: 1)
        harness.post(FieldHarness.initialization, on: 1)
        harness.settle()
        return (harness, 1)
      }
      #expect(harness.activatePair()?.prefix(2) == [0x4B, 0x01])
      #expect(harness.reply(of: 1) == [0x8D, 0x08, 0xE0, 0x50])
      if state == .computing {
        harness.post([0x40, 0x01, 0x00, 0xA4])
        #expect(harness.run([0x86], on: 1) == [0x87, 0x00, 0x00, 0xA4])
      }
      if state == .released { #expect(harness.run([0x32, 0x01, 0x00]) == [0x33]) }
      return (harness, 1)
    }
  }

  /// A valid command and its status byte in each state, in the order of the states above: `--` for no response within
  /// ten seconds, `..` for a response without a status.
  static let commands: [(hex: String, statuses: String)] = [
    ("0000AB", ".. .. .. .. .. .. .. .."), ("0006", "27 27 00 27 27 27 27 27"), ("0001", "00 00 00 00 00 00 00 00"),
    ("02", ".. .. .. .. .. .. .. .."), ("04", ".. .. .. .. .. .. .. .."), ("066302", ".. .. .. .. .. .. .. .."),
    ("08630280", ".. .. .. .. .. .. .. .."), ("0C", ".. .. .. .. .. .. .. .."), ("0E0000", ".. .. .. .. .. .. .. .."),
    ("1004", ".. .. .. .. .. .. .. .."), ("1214", ".. .. .. .. .. .. .. .."), ("1401", ".. .. .. .. .. .. .. .."),
    ("16F0", "00 00 00 00 00 00 00 00"), ("320101", ".. .. .. .. .. .. .. .."),
    ("400100A4", "27 27 00 27 27 27 27 27"), ("42B2", "01 01 00 01 01 01 01 01"),
    ("4401", "27 27 00 00 27 27 27 27"), ("4400", "00 00 00 00 00 00 00 00"), ("5201", "27 27 00 00 27 27 27 27"),
    ("5200", "00 00 00 00 00 00 00 00"), ("5401", "27 27 00 00 27 27 27 27"),
    ("46000000", "01 01 01 01 01 01 01 01"), ("4E010000", "27 27 26 26 27 27 27 27"),
    ("500100", "27 27 01 01 27 27 27 27"), ("56000000", "01 01 01 01 01 01 01 01"),
    ("86", "25 25 25 25 25 -- -- 29"), ("88", "25 25 25 25 25 25 25 29"), ("8E9000", "25 25 25 25 25 25 00 29"),
    ("909000", "25 25 25 25 25 25 25 29"), ("9200", "27 27 27 27 27 27 27 27"),
    ("949000", "25 25 25 25 25 25 00 29"), ("8A", "00 00 00 00 00 01 01 00"),
  ]

  @Test(arguments: State.allCases)
  func `every command has its answer in every state, and the next command works`(state: State) throws {
    let place = State.allCases.firstIndex(of: state)!
    for (hex, statuses) in Self.commands {
      let command = try [UInt8](hex: hex)
      var (harness, chip) = Self.chip(in: state)
      let reply = harness.run(command, on: chip)
      let expected = statuses.split(separator: " ")[place]
      let status = reply.map { $0.count > 1 ? UInt8($0[1]).hex : ".." } ?? "--"
      #expect(expected == ".." ? reply != nil : status == expected, "\(hex) when \(state): \(reply?.hex ?? "nothing")")
      if let reply { #expect(reply[0] == command[0] + 1) }
      #expect(harness.run([0x02], on: chip) == [0x03, 0x32, 0x01, 0x06, 0x07])
    }
  }

  @Test(arguments: State.allCases)
  func `searching and listening work from every state`(state: State) throws {
    var (harness, chip) = Self.chip(in: state)
    let isPair = chip == 1
    // A card that was deselected ignores REQA, and two chips as readers do not find each other.
    let finds = !isPair && state != .deselected
    #expect(harness.run([0x4A, 0x01, 0x00], on: chip)?.prefix(2) == (finds ? [0x4B, 0x01] : nil))
    #expect(harness.run([0x4A, 0x01, 0x01], on: chip) == nil)
    #expect(harness.run([0x60, 0x01, 0x01, 0x11], on: chip) == [0x61, 0x00])
    #expect(harness.run(FieldHarness.initialization, on: chip) == nil)
    #expect(harness.run([0x86], on: chip) == [0x87, 0x25])
    #expect(harness.run([0x02], on: chip) == [0x03, 0x32, 0x01, 0x06, 0x07])
  }

  @Test(arguments: State.allCases)
  func `commands without parameters, with too many, and unknown ones are answered`(state: State) {
    for code in UInt8.min...UInt8.max {
      for parameters in [[], [UInt8](repeating: 0xEE, count: 263), [UInt8](repeating: 0, count: 30)] {
        var (harness, chip) = Self.chip(in: state)
        let reply = harness.run([code] + parameters, on: chip)
        if PN532Command(rawValue: code) == nil { #expect(reply == [0x7F]) }
        if let reply, reply != [0x7F] { #expect(reply[0] == code + 1) }
        #expect(harness.run([0x02], on: chip) == [0x03, 0x32, 0x01, 0x06, 0x07], "after \(code.hex)")
      }
    }
  }

  @Test func `an aborted command has no answer, and the next command works`() {
    for state in State.allCases {
      for command in [[0x4A, 0x01, 0x01], [0x60, 0xFF, 0x01, 0x11], FieldHarness.initialization, [0x86]] {
        var (harness, chip) = Self.chip(in: state)
        harness.post(command, on: chip)
        harness.settle(limit: .milliseconds(1))
        let before = harness.replies[chip].count
        harness.field.abort(chip: chip, at: harness.now)
        harness.settle()
        #expect(harness.replies[chip].count == before)
        while !harness.replies[chip].isEmpty { _ = harness.reply(of: chip) }
        #expect(harness.run([0x02], on: chip) == [0x03, 0x32, 0x01, 0x06, 0x07])
      }
    }
  }

  @Test func `registers keep several written values`() {
    var harness = FieldHarness(.chip)
    #expect(harness.run([0x08, 0x63, 0x05, 0x40, 0x63, 0x38, 0x11]) == [0x09])
    #expect(harness.run([0x06, 0x63, 0x38, 0x63, 0x05, 0x63, 0x02, 0x12, 0x34]) == [0x07, 0x11, 0x40, 0x80, 0x00])
    #expect(harness.run([0x06, 0x63]) == [0x7F])
    #expect(harness.run([0x08, 0x63, 0x05]) == [0x7F])
  }
}
