#if PCSC
  internal import Links
  internal import Octets

  /// One program's time with a reader and its chip: claimed, and not looking for cards by itself. Letting go of it puts
  /// the reader back into its old ways.
  struct ACR122Session: ~Copyable, Partner {
    /// Drivers and readers wait for seconds before they give up. A call that fails sooner has failed for good.
    private static let shortestWait = Duration.milliseconds(500)
    private static let getFirmwareVersion: [UInt8] = [0x02]
    /// What a PN532 calls itself in the answer.
    private static let chip: UInt8 = 0x32

    private let name: String
    private let connection: PCSCDirectReader
    private var code = PCSCControlCode.vendorExchange
    private var isOpen = false
    /// What the reader is given back at the end; nil when it did not look for cards.
    private var operatingParameter: UInt8?

    /// Connects, and waits for others until a deadline.
    init(reader: String, until deadline: ContinuousClock.Instant) throws(LinkError) {
      do throws(PCSCError) {
        connection = try claimed(until: deadline) { () throws(PCSCError) in
          var connection = try PCSCContext().connectDirectly(to: reader)
          try connection.claim()
          return connection
        }
      } catch {
        throw error.linkError(reader: reader)
      }
      name = reader
    }

    deinit {
      guard isOpen else { return }
      for command in ACR122Device.farewell { _ = answer(to: command) }
      guard let operatingParameter else { return }
      _ = try? connection.control(code, ACR122Frame.setOperatingParameter(operatingParameter))
    }

    /// Makes sure of the chip, and of the reader's attention.
    mutating func greet() throws(LinkError) {
      do throws(PCSCError) {
        code = try Self.escapeCode(of: connection)
      } catch {
        throw refusal(error)
      }
      guard try answer(to: Self.getFirmwareVersion).get().first == Self.chip else {
        throw LinkError(
          .readerUnavailable, "reader \"\(name)\": there is no PN532 behind its escape commands; use an ACR122U")
      }
      isOpen = true
      stopPolling()
      _ = try? connection.control(code, ACR122Frame.limitWait)
    }

    /// The code that this driver hands to the reader. Drivers know one of two, and the first is libccid's.
    private static func escapeCode(of connection: borrowing PCSCDirectReader) throws(PCSCError) -> PCSCControlCode {
      let probe = ACR122Frame.transmit(getFirmwareVersion)
      do throws(PCSCError) {
        _ = try connection.control(.vendorExchange, probe)
        return .vendorExchange
      } catch  where [.unsupportedFeature, .notTransacted].contains(error) {
        _ = try connection.control(.escape, probe)
        return .escape
      }
    }

    private func refusal(_ error: PCSCError) -> LinkError {
      guard [.unsupportedFeature, .notTransacted].contains(error) else { return error.linkError(reader: name) }
      return LinkError(
        .readerUnavailable,
        """
        reader "\(name)" takes no escape commands: \(error); for an ACR122U under the CCID driver, set the bit 0x0001 \
        (DRIVER_OPTION_CCID_EXCHANGE_AUTHORIZED) of ifdDriverOptions in /etc/libccid_Info.plist and restart pcscd
        """)
    }

    /// A reader that looks for cards would take its chip away from us. Readers without the command do not.
    private mutating func stopPolling() {
      guard let answer = try? connection.control(code, ACR122Frame.getOperatingParameter), answer.count == 2,
        answer[0] == 0x90, answer[1] & ACR122Frame.polls != 0
      else { return }
      operatingParameter = answer[1]
      _ = try? connection.control(code, ACR122Frame.setOperatingParameter(answer[1] & ~ACR122Frame.polls))
    }

    /// Has the chip run a command, and blocks until it has.
    ///
    /// - Returns: The chip's data; `.timedOut` when it was silent for as long as the reader or its driver wait,
    ///   `.readerUnavailable`, `.serviceUnavailable`, `.protocolViolation`.
    borrowing func answer(to command: [UInt8]) -> Result<[UInt8], LinkError> {
      let start = ContinuousClock.now
      do throws(PCSCError) {
        var answer = ACR122Frame.answer(
          try connection.control(code, ACR122Frame.transmit(command)), to: command)
        if case .announced(let count) = answer {
          answer = ACR122Frame.answer(try connection.control(code, ACR122Frame.getResponse(count)), to: command)
        }
        // A reader that was silent has waited; one that says so at once refuses.
        if answer == .silent, ContinuousClock.now - start < Self.shortestWait { answer = .refused }
        return outcome(answer, of: command)
      } catch PCSCError.notTransacted where ContinuousClock.now - start >= Self.shortestWait {
        return outcome(.silent, of: command)
      } catch PCSCError.notTransacted {
        return .failure(
          LinkError(.readerUnavailable, "reader \"\(name)\" is gone or out of order: plug it out and in again"))
      } catch {
        return .failure(error.linkError(reader: name))
      }
    }

    private borrowing func outcome(_ answer: ACR122Frame.Answer, of command: [UInt8]) -> Result<[UInt8], LinkError> {
      switch answer {
      case .data(let data): .success(data)
      case .silent:
        .failure(LinkError(.timedOut, "reader \"\(name)\": its chip was silent for as long as the reader waits"))
      case .announced, .refused:
        .failure(
          LinkError(
            .protocolViolation,
            "reader \"\(name)\": its answer to the PN532 command \(command.prefix(1).hex) is none"))
      }
    }
  }
#endif
