#if PCSC
  internal import Links
  internal import Octets

  /// A reader that is claimed for this program, with its own search for cards switched off. Releasing the session
  /// switches the field off and restores the reader's settings.
  struct ACR122Session: ~Copyable, BlockingDevice {
    /// Drivers and readers wait for seconds before they report a timeout. A call that fails sooner was refused.
    private static let shortestWait = Duration.milliseconds(500)
    private static let getFirmwareVersion: [UInt8] = [0x02]
    /// The chip type of a PN532 in the response to GetFirmwareVersion.
    private static let chip: UInt8 = 0x32

    private let name: String
    private let connection: PCSCDirectReader
    private var code = PCSCControlCode.vendorExchange
    private var isOpen = false
    /// The parameter to restore at the end; nil when the reader does not search for cards by itself.
    private var operatingParameter: UInt8?

    /// Connects, and waits until a deadline while other programs use the reader.
    init(reader: String, until deadline: Instant) throws(LinkError) {
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
      for command in ACR122Device.restCommands { _ = perform(command) }
      guard let operatingParameter else { return }
      _ = try? connection.control(code, ACR122Frame.setOperatingParameter(operatingParameter))
    }

    /// Checks the chip, and switches the reader's own search for cards off.
    mutating func open() throws(LinkError) {
      do throws(PCSCError) {
        code = try Self.escapeCode(of: connection)
      } catch {
        throw refusal(error)
      }
      guard try perform(Self.getFirmwareVersion).get().first == Self.chip else {
        throw LinkError(
          .readerUnavailable, "reader \"\(name)\" has no PN532 behind its escape commands: use an ACR122U")
      }
      isOpen = true
      stopPolling()
      _ = try? connection.control(code, ACR122Frame.limitWait)
    }

    /// The control code that this driver passes to the reader. A driver supports one of two; the first is libccid's.
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
        reader "\(name)" accepts no escape commands: \(error); for an ACR122U under the CCID driver, set the bit 0x0001 \
        (DRIVER_OPTION_CCID_EXCHANGE_AUTHORIZED) of ifdDriverOptions in /etc/libccid_Info.plist and restart pcscd
        """)
    }

    /// A reader that searches for cards by itself would reconfigure its chip. Readers without the command do not
    /// search.
    private mutating func stopPolling() {
      guard let answer = try? connection.control(code, ACR122Frame.getOperatingParameter), answer.count == 2,
        answer[0] == 0x90, answer[1] & ACR122Frame.polls != 0
      else { return }
      operatingParameter = answer[1]
      _ = try? connection.control(code, ACR122Frame.setOperatingParameter(answer[1] & ~ACR122Frame.polls))
    }

    /// Lets the chip perform a command, and blocks until it has.
    ///
    /// - Returns: The chip's data; `.timedOut` when the chip did not answer within the limit of the reader or its
    ///   driver, `.readerUnavailable`, `.serviceUnavailable`, `.protocolViolation`.
    borrowing func perform(_ command: [UInt8]) -> Result<[UInt8], LinkError> {
      let start = SystemClock().now
      do throws(PCSCError) {
        var answer = ACR122Frame.answer(
          try connection.control(code, ACR122Frame.transmit(command)), to: command)
        if case .announced(let count) = answer {
          answer = ACR122Frame.answer(try connection.control(code, ACR122Frame.getResponse(count)), to: command)
        }
        // A timeout takes time. A reader that reports one at once refuses the command.
        if answer == .silent, SystemClock().now - start < Self.shortestWait { answer = .refused }
        return result(answer, of: command)
      } catch PCSCError.notTransacted where SystemClock().now - start >= Self.shortestWait {
        return result(.silent, of: command)
      } catch PCSCError.notTransacted {
        return .failure(
          LinkError(.readerUnavailable, "reader \"\(name)\" is unplugged or defective: unplug it and plug it in again"))
      } catch {
        return .failure(error.linkError(reader: name))
      }
    }

    private borrowing func result(_ answer: ACR122Frame.Answer, of command: [UInt8]) -> Result<[UInt8], LinkError> {
      switch answer {
      case .data(let data): .success(data)
      case .silent:
        .failure(LinkError(.timedOut, "reader \"\(name)\": its chip did not answer within the reader's own limit"))
      case .announced, .refused:
        .failure(
          LinkError(
            .protocolViolation,
            "reader \"\(name)\": an invalid response to the PN532 command \(command.prefix(1).hex)"))
      }
    }
  }
#endif
