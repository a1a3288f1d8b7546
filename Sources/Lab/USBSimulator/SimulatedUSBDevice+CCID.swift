internal import POSIX

extension SimulatedUSBDevice {
  /// A reader for smart cards, with one interface of the class CCID for each of its class descriptors.
  ///
  /// - Parameters:
  ///   - description: Its numbers and names; its interfaces are replaced.
  ///   - interfaces: The class descriptors, at least one; at most four.
  ///   - hasInterrupts: For each interface, whether it reports cards that come and leave; true where the list ends.
  ///     Without, the host asks.
  ///   - packetSize: wMaxPacketSize of the bulk endpoints.
  public static func reader(
    _ description: USBDescription, interfaces: [CCIDDescription] = [CCIDDescription()], hasInterrupts: [Bool] = [],
    packetSize: UInt16 = 64
  ) -> SimulatedUSBDevice {
    reader(description, interfaces: interfaces, hasInterrupts: hasInterrupts, packetSize: packetSize, chip: nil)
  }

  /// A reader whose first interface passes pseudo-APDUs on to a chip, where it has one.
  static func reader(
    _ description: USBDescription, interfaces: [CCIDDescription], hasInterrupts: [Bool], packetSize: UInt16,
    chip: ChipPort?
  ) -> SimulatedUSBDevice {
    precondition((1...4).contains(interfaces.count), "a reader has 1 to 4 interfaces, not \(interfaces.count)")
    var described = description
    let endpoints = interfaces.indices.map { index in
      let first = UInt8(index * 3 + 1)
      return CCIDFirmware.Endpoints(
        output: first, input: 0x80 | (first + 1),
        interrupt: hasInterrupts.dropFirst(index).first == false ? nil : 0x80 | (first + 2))
    }
    described.interfaces = interfaces.indices.map { index in
      let names = description.interfaces.map(\.name)
      return USBDescription.Interface(
        classCode: 0x0B, name: index < names.count ? names[index] : nil, classDescriptor: interfaces[index].octets,
        endpoints: endpoints[index].all(packetSize: packetSize))
    }
    let ports = interfaces.map { interface in (0...interface.maximumSlotIndex).map { _ in CardPort() } }
    let faults = FaultPort()
    return SimulatedUSBDevice(described, slots: ports.flatMap(\.self), chip: chip, faults: faults) { signal in
      let parts = interfaces.indices.map { index -> (output: UInt8, firmware: any USBFirmware) in
        let (addresses, base) = (
          endpoints[index],
          CCIDFirmware(interfaces[index], endpoints[index], ports: ports[index], waking: signal)
        )
        guard index == 0, let chip else { return (addresses.output, base) }
        return (addresses.output, EscapeFirmware(base, addresses, chip, waking: signal))
      }
      return FaultyFirmware(
        CompositeFirmware(parts), plan: faults, interrupts: Set(endpoints.compactMap(\.interrupt)))
    }
  }
}

extension CCIDFirmware.Endpoints {
  fileprivate func all(packetSize: UInt16) -> [USBDescription.Endpoint] {
    [.init(output, .bulk, packetSize: packetSize), .init(input, .bulk, packetSize: packetSize)]
      + (interrupt.map { [.init($0, .interrupt, packetSize: 8, interval: 16)] } ?? [])
  }
}
