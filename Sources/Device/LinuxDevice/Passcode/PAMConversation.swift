#if LinuxDevice
  internal import CPAM
  internal import Glibc
  internal import Octets

  /// The conversation of one authentication: PAM asks, and the terminal answers (pam_conv(3)).
  final class PAMConversation: Sendable {
    /// PAM's limit (PAM_MAX_NUM_MSG).
    private static let maximumCount = 32

    private let entry: TerminalEntry

    init(_ entry: TerminalEntry) { self.entry = entry }

    /// The structure for `pam_start`. This object must outlive the handle.
    var structure: pam_conv {
      unsafe pam_conv(
        conv: { count, messages, answers, context in
          guard let messages = unsafe messages, let answers = unsafe answers, let context = unsafe context else {
            return PAM_CONV_ERR
          }
          let conversation = unsafe Unmanaged<PAMConversation>.fromOpaque(context).takeUnretainedValue()
          return unsafe conversation.answer(Int(count), messages, answers)
        }, appdata_ptr: Unmanaged.passUnretained(self).toOpaque())
    }

    /// Answers the messages of one call. PAM frees the answers; on a failure they are freed here.
    private func answer(
      _ count: Int, _ messages: UnsafeMutablePointer<UnsafePointer<pam_message>?>,
      _ answers: UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>
    ) -> Int32 {
      guard (1...Self.maximumCount).contains(count),
        let room = unsafe calloc(count, MemoryLayout<pam_response>.stride)
      else { return PAM_CONV_ERR }
      let responses = unsafe room.bindMemory(to: pam_response.self, capacity: count)
      for index in 0..<count {
        guard let message = unsafe messages[index]?.pointee, unsafe answer(message, &responses[index]) else {
          unsafe Self.free(responses, count)
          return PAM_CONV_ERR
        }
      }
      unsafe answers.pointee = responses
      return PAM_SUCCESS
    }

    /// Returns false when the prompt was closed, or the style of the message is unknown.
    private func answer(_ message: pam_message, _ response: inout pam_response) -> Bool {
      let text = unsafe message.msg.map { unsafe String(cString: $0) } ?? ""
      switch unsafe message.msg_style {
      case PAM_PROMPT_ECHO_OFF, PAM_PROMPT_ECHO_ON:
        let echoes = unsafe message.msg_style == PAM_PROMPT_ECHO_ON
        guard var line = entry.line(after: text, echoes: echoes) else { return false }
        line.append(0)
        unsafe response.resp = line.withUnsafeBufferPointer { octets in
          unsafe octets.withMemoryRebound(to: CChar.self) { unsafe $0.baseAddress.flatMap { unsafe strdup($0) } }
        }
        line.wipe()
        return unsafe response.resp != nil
      case PAM_ERROR_MSG, PAM_TEXT_INFO:
        entry.write(text + "\n")
        return true
      default: return false
      }
    }

    private static func free(_ responses: UnsafeMutablePointer<pam_response>, _ count: Int) {
      for index in 0..<count {
        guard let text = unsafe responses[index].resp else { continue }
        unsafe explicit_bzero(text, strlen(text))
        unsafe Glibc.free(text)
      }
      unsafe Glibc.free(responses)
    }
  }
#endif
