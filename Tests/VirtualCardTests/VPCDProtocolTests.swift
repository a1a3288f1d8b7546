import ISO7816
import Octets
import TestSupport
import Testing
import VirtualCard

struct VPCDProtocolTests {
  static let messages: [([UInt8], VPCDMessage)] = [
    ([0], .powerOff), ([1], .powerOn), ([2], .reset), ([4], .answerToReset), ([0, 0], .command), ([4, 4], .command),
    ([0x00, 0xA4, 0x04, 0x00], .command),
  ]

  @Test(arguments: messages)
  func `a frame of 1 byte is a control byte, a longer one is a command`(
    payload: [UInt8], message: VPCDMessage
  ) throws {
    #expect(try VPCDMessage(payload.span) == message)
  }

  @Test func `an empty frame and an unknown control byte are errors`() {
    func error(of payload: [UInt8]) -> VPCDFrameError? {
      do throws(VPCDFrameError) {
        _ = try VPCDMessage(payload.span)
        return nil
      } catch {
        return error
      }
    }
    #expect(error(of: []) == .empty)
    for octet in [0x03, 0x05, 0xFF] as [UInt8] { #expect(error(of: [octet]) == .unknownControl(octet)) }
  }

  /// Each message while the power is off and while it is on: the event, and the power after it.
  static let power: [(VPCDMessage, FieldEvent?, Bool, FieldEvent?, Bool)] = [
    (.powerOff, nil, false, .lost, false), (.powerOn, .powered, true, .reset, true),
    (.reset, .powered, true, .reset, true), (.answerToReset, nil, false, nil, true),
    (.command, .powered, true, nil, true),
  ]

  @Test(arguments: power)
  func `control bytes become field events`(
    message: VPCDMessage, whileOff: FieldEvent?, thenOn: Bool, whileOn: FieldEvent?, stillOn: Bool
  ) {
    var off = VPCDPower()
    #expect(off.receive(message) == whileOff)
    #expect(off.isOn == thenOn)
    var on = VPCDPower()
    _ = on.receive(.powerOn)
    #expect(on.receive(message) == whileOn)
    #expect(on.isOn == stillOn)
    #expect(on.end() == (stillOn ? .lost : nil))
    #expect(on.end() == nil)
  }

  private func payloads(_ stream: [UInt8], step: Int) -> [[UInt8]] {
    var frames = VPCDFrames()
    var found: [[UInt8]] = []
    var rest = stream[...]
    repeat {
      frames.append { room in
        let part = Array(rest.prefix(min(step, room.byteCount)))
        room.copy(part.span, to: 0)
        rest = rest.dropFirst(part.count)
        return part.count
      }
      while frames.next({ found.append($0.array) }) {}
    } while !rest.isEmpty
    return found
  }

  @Test(arguments: [1, 2, 3, 5, 100, 70_000])
  func `frames are found wherever the stream is cut`(step: Int) {
    let longest = (0..<65_535).map { UInt8(truncatingIfNeeded: $0) }
    let expected: [[UInt8]] = [[4], [], [0x00, 0xA4, 0x04, 0x00], longest, [1], Array(longest.prefix(256))]
    let stream = expected.flatMap { SimulatedVPCD.frame($0) }
    #expect(payloads(stream, step: step) == expected)
    #expect(payloads(Array(stream.dropLast()), step: step) == Array(expected.dropLast()))
    #expect(payloads([0x00], step: step).isEmpty)
  }

  @Test func `random bytes never trap, and each frame has the answer of its kind`() {
    var random = SplitMix64(seed: 20_260_101)
    for _ in 0..<2_000 {
      var card = ScriptedResponder()
      var session = VPCDCardSession(answerToReset: AnswerToReset.contactless(), identifier: [8, 1, 2, 3])
      let stream = (0..<Int.random(in: 0...64, using: &random)).map { _ in
        UInt8.random(in: 0...7, using: &random)
      }
      for payload in payloads(stream, step: 7) {
        let message = try? VPCDMessage(payload.span)
        let isTaken = (try? session.receive(payload.span, at: Instant(nanoseconds: 0), for: &card)) != nil
        let answer = session.withAnswer { $0.array }
        #expect(isTaken == (message != nil))
        switch message {
        case .powerOff, .powerOn, .reset, nil: #expect(answer.isEmpty)
        case .answerToReset: #expect(answer == [0x00, 0x05, 0x3B, 0x80, 0x80, 0x01, 0x01])
        case .command: #expect(answer == [0x00, 0x02, 0x6D, 0x00])
        }
      }
      session.end(&card, at: Instant(nanoseconds: 0))
    }
  }
}
