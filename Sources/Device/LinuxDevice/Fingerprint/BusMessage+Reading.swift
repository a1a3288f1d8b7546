#if LinuxDevice
  internal import CSDBus
  internal import Glibc

  extension BusMessage {
    /// Reads a message. The library has checked its structure, and that its text is UTF-8.
    init(_ message: OpaquePointer) {
      sender = unsafe Self.text(sd_bus_message_get_sender(message))
      path = unsafe Self.text(sd_bus_message_get_path(message))
      values = unsafe Self.values(of: message)
      kind = unsafe Self.kind(of: message)
    }

    private static func kind(of message: OpaquePointer) -> Kind {
      var (type, number) = (UInt8(0), UInt64(0))
      guard unsafe sd_bus_message_get_type(message, &type) >= 0 else { return .other }
      if UInt32(type) == UInt32(SD_BUS_MESSAGE_SIGNAL) {
        return .signal(
          interface: unsafe text(sd_bus_message_get_interface(message)),
          member: unsafe text(sd_bus_message_get_member(message)))
      }
      guard unsafe sd_bus_message_get_reply_cookie(message, &number) >= 0 else { return .other }
      guard let error = unsafe sd_bus_message_get_error(message) else { return .reply(to: number) }
      return .error(
        to: number, unsafe BusError(name: text(error.pointee.name), message: text(error.pointee.message)))
    }

    private static func values(of message: OpaquePointer) -> [BusValue] {
      var values: [BusValue] = []
      while let value = unsafe nextValue(of: message) { values.append(value) }
      return values
    }

    /// Reads one value. Nil at the end, and at a value of another type.
    private static func nextValue(of message: OpaquePointer) -> BusValue? {
      var (type, content) = unsafe (CChar(0), UnsafePointer<CChar>?.none)
      guard unsafe sd_bus_message_peek_type(message, &type, &content) > 0 else { return nil }
      switch UInt8(bitPattern: type) {
      case UInt8(ascii: "s"), UInt8(ascii: "o"):
        var text: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(message, type, &text) > 0 else { return nil }
        return .text(unsafe Self.text(text))
      case UInt8(ascii: "b"):
        var flag: Int32 = 0
        guard unsafe sd_bus_message_read_basic(message, type, &flag) > 0 else { return nil }
        return .flag(flag != 0)
      case UInt8(ascii: "a") where unsafe text(content) == "s": return unsafe texts(of: message)
      default: return nil
      }
    }

    private static func texts(of message: OpaquePointer) -> BusValue? {
      var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
      guard unsafe sd_bus_message_read_strv(message, &list) >= 0 else { return nil }
      var texts: [String] = []
      var entry = unsafe list
      while let text = unsafe entry?.pointee {
        texts.append(unsafe String(cString: text))
        unsafe free(text)
        unsafe entry = entry?.advanced(by: 1)
      }
      unsafe free(list)
      return .texts(texts)
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String {
      guard let text = unsafe text else { return "" }
      return unsafe String(cString: text)
    }
  }
#endif
