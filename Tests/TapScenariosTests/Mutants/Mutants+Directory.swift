import ISO7816

/// The directory and the selection of an application.
extension Mutant {
  static let directory: [Mutant] = [
    Mutant(
      fault: "PPSE not selected",
      answer: { command, _ in
        guard command.selectsDirectory else { return nil }
        let entry = TLVNode(
          0x61,
          [
            TLVNode(0x4F, [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]), TLVNode(0x87, [0x01]),
          ])
        let name = TLVNode(0x84, Array("2PAY.SYS.DDF01".utf8))
        return TLVNode(0x6F, [name, TLVNode(0xA5, [TLVNode(0xBF0C, [entry])])]).encoded + [0x90, 0x00]
      }),
    repeating("PPSE selected twice") { $0.selectsDirectory },
    repeating("application selected twice") { $0.selectsApplication },
    Mutant(
      fault: "application selected without a directory",
      further: { command, response, _ in
        guard command.selectsDirectory, response.status == [0x6A, 0x82] else { return [] }
        return [[0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10, 0x00]]
      }),
    Mutant(
      fault: "priorities reversed",
      response: { response, command, _ in
        command.selectsDirectory ? response.changingObject(0x87) { [3 - Swift.min(2, $0[0] & 0x0F)] } : response
      }),
    Mutant(
      fault: "priority zero before all others",
      response: { response, command, _ in
        command.selectsDirectory ? response.changingObject(0x87) { $0[0] & 0x0F == 0 ? [0x01] : [0x02] } : response
      }),
    ofDirectory("last of equal priorities selected") { response, entries in
      let priorities = Set(entries.map { $0.children.first { $0.tag == 0x87 }?.value })
      guard entries.count > 1, priorities.count == 1 else { return response }
      return response.with(entries: entries.reversed())
    },
    ofDirectory("directory with a name twice refused") { response, entries in
      let names = entries.map { $0.children.first { $0.tag == 0x4F }?.value }
      return Set(names).count < names.count ? [0x6A, 0x82] : response
    },
    Mutant(
      fault: "kernel identifier of the directory ignored",
      response: { response, command, _ in
        command.selectsDirectory ? response.changingObject(0x9F2A) { _ in nil } : response
      }),
    Mutant(
      fault: "entry with kernel identifier 00 skipped",
      response: { response, command, _ in
        command.selectsDirectory ? response.changingObject(0x9F2A) { $0 == [0x00] ? [0x3F] : $0 } : response
      }),
    Mutant(
      fault: "application of an unknown scheme selected",
      further: { command, response, _ in
        guard command.selectsDirectory, let name = response.object(0x4F), name.starts(with: [0xF0]) else { return [] }
        return [[0x00, 0xA4, 0x04, 0x00, UInt8(name.count)] + name + [0x00]]
      }),
    Mutant(
      fault: "application selected by the RID",
      command: { command, _ in
        command.selectsApplication ? command.with(data: Array(command.commandData.prefix(5))) : command
      }),
    Mutant(
      fault: "application name of the terminal in place of the card's",
      command: { command, _ in
        command.selectsApplication ? command.with(data: Array(command.commandData.prefix(7))) : command
      }),
    Mutant(
      fault: "next application not tried after 6985",
      response: { response, command, _ in
        command.instruction == 0xA8 && response.status == [0x69, 0x85] ? [0x6A, 0x81] : response
      }),
    Mutant(
      fault: "next application not tried after a refused selection",
      answer: { command, memory in
        command.selectsApplication && memory["refused"] != nil ? [0x6A, 0x82] : nil
      },
      response: { response, command, memory in
        if command.selectsApplication, response.status != [0x90, 0x00] { memory["refused"] = response }
        return response
      }),
    Mutant(
      fault: "GET DATA before the processing options",
      further: { command, _, _ in
        command.selectsApplication ? [[0x80, 0xCA, 0x9F, 0x17, 0x00]] : []
      }),
  ]

  /// A mutant that takes another response for that of the directory.
  private static func ofDirectory(
    _ fault: String, _ change: @escaping @Sendable (_ response: Bytes, _ entries: [TLVNode]) -> Bytes
  ) -> Mutant {
    Mutant(
      fault: fault,
      response: { response, command, _ in
        command.selectsDirectory ? change(response, response.directoryEntries) : response
      })
  }
}

extension [UInt8] {
  /// The entries (tag 61) of a response with the directory; none for any other response.
  fileprivate var directoryEntries: [TLVNode] {
    let data = Array(dropLast(2))
    guard let template = (try? [TLVNode](parsing: data.span))?.first, template.tag == 0x6F else { return [] }
    return template.children.flatMap(\.children).flatMap(\.children).filter { $0.tag == 0x61 }
  }

  /// The directory with other entries.
  fileprivate func with(entries: [TLVNode]) -> [UInt8] {
    let name = TLVNode(0x84, Array("2PAY.SYS.DDF01".utf8))
    return TLVNode(0x6F, [name, TLVNode(0xA5, [TLVNode(0xBF0C, entries)])]).encoded + status
  }
}
