import Octets
import ReaderSimulator
import Testing

struct HSUTests {
  /// The examples of the user manual, and the limits of both kinds of frame.
  static let frames: [(frame: HSUFrame, hex: String)] = [
    (.acknowledge, "0000FF00FF00"),
    (.notAcknowledge, "0000FFFF0000"),
    (.error, "0000FF01FF7F8100"),
    (.information([0x02]), "0000FF02FED4022A00"),
    (.information([0x4A, 0x01, 0x00]), "0000FF04FCD44A0100E100"),
  ]

  @Test(arguments: frames)
  func `frames have the bytes of the user manual`(frame: HSUFrame, hex: String) throws {
    #expect(frame.octets(identifier: HSUFrame.hostIdentifier).hex == hex)
    var decoder = HSUDecoder()
    decoder.append(try [UInt8](hex: hex))
    #expect(decoder.next() == .frame(frame))
    #expect(decoder.next() == nil)
  }

  @Test(arguments: [1, 2, 253, 254, 255, 256, 263, 264], [1, 2, 7, 1000])
  func `a frame of every size arrives, however the stream is cut`(count: Int, step: Int) {
    let frame = HSUFrame.information((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) })
    let octets = [0x55, 0x55, 0x00] + frame.octets(identifier: HSUFrame.hostIdentifier)
    // 254 bytes and the identifier are the most that one length byte counts.
    #expect(octets.count == count + (count <= 254 ? 8 : 11) + 3)
    var decoder = HSUDecoder()
    var findings: [HSUDecoder.Finding] = []
    for start in stride(from: 0, to: octets.count, by: step) {
      decoder.append(octets[start..<min(start + step, octets.count)])
      while let finding = decoder.next() { findings.append(finding) }
    }
    #expect(findings == [.frame(frame)])
  }

  @Test(arguments: [
    ("a length checksum that is wrong", "0000FF02FDD4022A00"),
    ("a data checksum that is wrong", "0000FF02FED4022B00"),
    ("an extended length checksum that is wrong", "0000FFFFFF0002FFD4022A00"),
    ("a length of 0 that is no acknowledgement", "0000FFFFFF000000"),
    ("a length beyond 265", "0000FFFFFF010AF5"),
  ])
  func `a corrupt frame is reported, and the frame after it is found`(name: String, hex: String) throws {
    var decoder = HSUDecoder()
    decoder.append(try [UInt8](hex: hex) + HSUFrame.information([0x02]).octets(identifier: HSUFrame.hostIdentifier))
    var findings: [HSUDecoder.Finding] = []
    while let finding = decoder.next() { findings.append(finding) }
    #expect(findings.first == .corrupt)
    #expect(findings.last == .frame(.information([0x02])))
  }

  @Test func `a frame that is cut off does not hide the next one`() {
    let frame = HSUFrame.information([0x32, 0x01, 0x01]).octets(identifier: HSUFrame.hostIdentifier)
    var decoder = HSUDecoder()
    decoder.append(frame.prefix(7))
    decoder.append(frame)
    var findings: [HSUDecoder.Finding] = []
    while let finding = decoder.next() { findings.append(finding) }
    #expect(findings == [.corrupt, .frame(.information([0x32, 0x01, 0x01]))])
  }

  @Test func `a frame with a wrong identifier or without content gets an error frame`() throws {
    for hex in ["0000FF02FED5022900", "0000FF01FFD42C00"] {
      var port = HSUPort()
      _ = port.receive([0x55])
      let steps = port.receive(try [UInt8](hex: hex))
      #expect(steps == [.send(HSUFrame.acknowledge.octets() + HSUFrame.error.octets())])
    }
  }

  @Test func `a corrupt frame gets NACK, and a partial frame is lost in power-down`() throws {
    var port = HSUPort()
    _ = port.receive([0x55])
    let corrupt = port.receive(try [UInt8](hex: "0000FF02FED4022B00"))
    #expect(corrupt == [.send(HSUFrame.notAcknowledge.octets())])
    let command = HSUFrame.information([0x02]).octets(identifier: HSUFrame.hostIdentifier)
    #expect(port.receive(Array(command.prefix(6))) == [])
    port.sleep()
    #expect(port.receive([0x55] + command.dropFirst(6)) == [])
  }

  @Test func `a response is repeated after NACK of the host`() {
    var port = HSUPort()
    _ = port.receive([0x55])
    let response = port.send(.information([0x03, 0x32]))
    #expect(port.receive(HSUFrame.notAcknowledge.octets()) == [.send(response)])
    #expect(port.receive(HSUFrame.acknowledge.octets()) == [.abort])
  }

  @Test func `commands in one piece are followed in order`() {
    let (first, second) = (HSUFrame.information([0x02]), HSUFrame.information([0x14, 0x01]))
    var port = HSUPort()
    let steps = port.receive([0x55] + [first, .acknowledge, second].flatMap { $0.octets(identifier: 0xD4) })
    let acknowledge = HSUPort.Step.send(HSUFrame.acknowledge.octets())
    #expect(steps == [acknowledge, .command([0x02]), .abort, acknowledge, .command([0x14, 0x01])])
  }

  @Test(arguments: [
    ([UInt8](), true), ([0x55], false), ([0xFF, 0xFF, 0xFF, 0xFF], true), ([0x00, 0x00, 0x00, 0x00], true),
    ([0x00, 0x00, 0x00, 0x00, 0x00], false), ([0x05, 0x01], false), ([0x05], true),
  ])
  func `a sleeping chip wakes up at the fifth rising edge`(octets: [UInt8], sleeps: Bool) {
    var port = HSUPort()
    #expect(port.isAsleep)
    _ = port.receive(octets)
    #expect(port.isAsleep == sleeps)
    let command = HSUFrame.information([0x02]).octets(identifier: HSUFrame.hostIdentifier)
    if !sleeps { #expect(port.receive(command) == [.send(HSUFrame.acknowledge.octets()), .command([0x02])]) }
    port.sleep()
    #expect(port.isAsleep)
  }

  @Test func `a frame after random bytes is found`() {
    var random = SplitMix64(seed: 1)
    var decoder = HSUDecoder()
    for _ in 0..<20_000 {
      // Many bytes with which frames start.
      let count = Int.random(in: 0...12, using: &random)
      let noise = (0..<count).map { _ in
        [0x00, 0xFF, 0xD4, UInt8.random(in: .min ... .max, using: &random)].randomElement(using: &random)!
      }
      decoder.append(noise)
      while decoder.next() != nil {}
      #expect(decoder.pendingCount <= HSUFrame.maximumCount + 10)
    }
    decoder.append([UInt8](repeating: 0, count: 300))
    while decoder.next() != nil {}
    decoder.append(HSUFrame.information([0x02]).octets(identifier: HSUFrame.hostIdentifier))
    #expect(decoder.next() == .frame(.information([0x02])))
  }
}
