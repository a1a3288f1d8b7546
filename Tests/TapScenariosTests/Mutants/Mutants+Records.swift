import ISO7816

/// Reading the records of the AFL.
extension Mutant {
  static let records: [Mutant] = [
    readingBy("last record left out") { entries in
      guard var last = entries.last else { return entries }
      if last[2] > last[1] { last[2] -= 1 } else { return Array(entries.dropLast()) }
      return entries.dropLast() + [last]
    },
    readingBy("records read in the reverse order of files") { $0.reversed() },
    readingBy("one record of each file read") { $0.map { [$0[0], $0[1], $0[1], Swift.min($0[3], 1)] } },
    repeating("record read twice") { $0.instruction == 0xB2 },
    Mutant(
      fault: "record after the last one read",
      further: { command, _, memory in
        guard command.instruction == 0xB2, memory.instructions.count(where: { $0 == 0xB2 }) == 1 else { return [] }
        return [[0x00, 0xB2, 0x09, 0x0C, 0x00]]
      }),
    taking("missing record ignored", 0xB2) { response, memory in
      if response.status == [0x90, 0x00] { return response }
      return [0x70, 0x03, 0x9F, 0x51, 0x00, 0x90, 0x00]
    },
    taking("warning of READ RECORD taken for success", 0xB2) { response, _ in
      response.status == [0x62, 0x83] ? response.dropLast(2) + [0x90, 0x00] : response
    },
    taking("object given twice in a record accepted", 0xB2) { response, _ in response.withoutRepeatedObjects },
    Mutant(
      fault: "AFL of a wrong length accepted",
      response: { response, command, _ in
        guard command.instruction == 0xA8, let locator = response.object(0x94), locator.count % 4 != 0 else {
          return response
        }
        return response.changingObject(0x94) { Array($0.prefix($0.count / 4 * 4)) }
      }),
    Mutant(
      fault: "record zero accepted in the AFL",
      response: { response, command, _ in
        guard command.instruction == 0xA8 else { return response }
        return response.changingObject(0x94) { $0.count > 1 && $0[1] == 0 ? $0.with(0x01, at: 1) : $0 }
      }),
  ]

  /// A mutant that reads by a changed AFL: entries of four bytes.
  private static func readingBy(
    _ fault: String, _ change: @escaping @Sendable ([Bytes]) -> [Bytes]
  ) -> Mutant {
    @Sendable func changed(_ locator: Bytes) -> Bytes {
      let entries = stride(from: 0, to: locator.count / 4 * 4, by: 4).map { Array(locator[$0..<$0 + 4]) }
      return change(entries).flatMap { $0 }
    }
    return taking(fault, 0xA8) { response, _ in
      guard response.status == [0x90, 0x00] else { return response }
      if response.first == 0x80 {
        return response.changingObject(0x80) { Array($0.prefix(2)) + changed(Array($0.dropFirst(2))) }
      }
      return response.changingObject(0x94) { changed($0) }
    }
  }
}
