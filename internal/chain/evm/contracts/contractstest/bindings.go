// Code generated via abigen V2 - DO NOT EDIT.
// This file is a generated binding and any manual changes will be lost.

package contractstest

import (
	"bytes"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Reference imports to suppress errors if they are not otherwise used.
var (
	_ = bytes.Equal
	_ = errors.New
	_ = big.NewInt
	_ = common.Big1
	_ = types.BloomLookup
	_ = abi.ConvertType
)

// MulticallCall3 is an auto generated low-level Go binding around an user-defined struct.
type MulticallCall3 struct {
	Target       common.Address
	AllowFailure bool
	CallData     []byte
}

// MulticallResult is an auto generated low-level Go binding around an user-defined struct.
type MulticallResult struct {
	Success    bool
	ReturnData []byte
}

// FreezableTokenMetaData contains all meta data concerning the FreezableToken contract.
var FreezableTokenMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"allowance\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"needed\",\"type\":\"uint256\"}],\"name\":\"ERC20InsufficientAllowance\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"balance\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"needed\",\"type\":\"uint256\"}],\"name\":\"ERC20InsufficientBalance\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"approver\",\"type\":\"address\"}],\"name\":\"ERC20InvalidApprover\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"}],\"name\":\"ERC20InvalidReceiver\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"}],\"name\":\"ERC20InvalidSender\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"}],\"name\":\"ERC20InvalidSpender\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"Approval\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"Transfer\",\"type\":\"event\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"}],\"name\":\"allowance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"approve\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"balanceOf\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"decimals\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"},{\"internalType\":\"bool\",\"name\":\"on\",\"type\":\"bool\"}],\"name\":\"freeze\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"name\":\"frozen\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"mint\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"name\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"bool\",\"name\":\"on\",\"type\":\"bool\"}],\"name\":\"pause\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"paused\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"symbol\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"totalSupply\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"transfer\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"transferFrom\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "982040bc2e63f3bfb73d4a4d073fd281ce",
	Bin: "0x60806040523461032857604080519081016001600160401b038111828210176102305760409081526009825268467265657a61626c6560b81b602083015280519081016001600160401b0381118282101761023057604052600381526223292d60e91b602082015281516001600160401b03811161023057600354600181811c9116801561031e575b602082101461021257601f81116102b0575b50602092601f821160011461024f57928192935f92610244575b50508160011b915f199060031b1c1916176003555b80516001600160401b03811161023057600454600181811c91168015610226575b602082101461021257601f81116101a4575b50602091601f8211600114610144579181925f92610139575b50508160011b915f199060031b1c1916176004555b604051610d84908161032d8239f35b015190505f80610115565b601f1982169260045f52805f20915f5b85811061018c57508360019510610174575b505050811b0160045561012a565b01515f1960f88460031b161c191690555f8080610166565b91926020600181928685015181550194019201610154565b818111156100fc5760045f52601f820160051c7f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b6020841061020a575b81601f9101920160051c03905f5b8281106101fd5750506100fc565b5f828201556001016101ef565b5f91506101e1565b634e487b7160e01b5f52602260045260245ffd5b90607f16906100ea565b634e487b7160e01b5f52604160045260245ffd5b015190505f806100b4565b601f1982169360035f52805f20915f5b8681106102985750836001959610610280575b505050811b016003556100c9565b01515f1960f88460031b161c191690555f8080610272565b9192602060018192868501518155019401920161025f565b8181111561009a5760035f52601f820160051c7fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b60208410610316575b81601f9101920160051c03905f5b82811061030957505061009a565b5f828201556001016102fb565b5f91506102ed565b90607f1690610088565b5f80fdfe6080806040526004361015610012575f80fd5b5f3560e01c90816302329a2914610b4957816306fdde0314610a1857508063095ea7b31461096b57806318160ddd1461093057806323b872dd1461079c578063313ce5671461076357806340c10f19146105285780635c975abb146104e857806370a082311461048657806395d89b4114610293578063a9059cbb14610244578063bf120ae5146101ae578063d0516650146101465763dd62ed3e146100b6575f80fd5b346101425760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610142576100ed610bfe565b73ffffffffffffffffffffffffffffffffffffffff61010a610c21565b91165f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060405f2054604051908152f35b5f80fd5b346101425760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101425773ffffffffffffffffffffffffffffffffffffffff610192610bfe565b165f526005602052602060ff60405f2054166040519015158152f35b346101425760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610142576101e5610bfe565b602435908115158092036101425773ffffffffffffffffffffffffffffffffffffffff165f52600560205260405f209060ff7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0083541691161790555f80f35b346101425760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101425761028861027e610bfe565b6024359033610c44565b602060405160018152f35b34610142575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610142576040515f600454908160011c6001831692831561047c575b60208210841461044f5781855284939081156103ef5750600114610375575b5003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01681019067ffffffffffffffff8211818310176103485761034482918260405282610bb6565b0390f35b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b60045f90815291507f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b5b8183106103d357505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06102f8565b602091935080600191548385880101520191019091839261039f565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660208581019190915291151560051b840190910191507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe090506102f8565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b90607f16906102d9565b346101425760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101425773ffffffffffffffffffffffffffffffffffffffff6104d2610bfe565b165f525f602052602060405f2054604051908152f35b34610142575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261014257602060ff600654166040519015158152f35b346101425760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101425761055f610bfe565b73ffffffffffffffffffffffffffffffffffffffff1660243581156107375760ff600654166106d9575f805260056020527f05b8ccbb9d4d8fb16ea74ce3c29a41f1b461fbdaff4714a0d9a8eb05499746bc5460ff1615806106c2575b1561063e57600254908082018092116106115760207fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef915f9360025584845283825260408420818154019055604051908152a3005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b60846040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152602560248201527f426c61636b6c69737461626c653a206163636f756e7420697320626c61636b6c60448201527f69737465640000000000000000000000000000000000000000000000000000006064820152fd5b50815f52600560205260ff60405f205416156105bc565b60646040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152601060248201527f5061757361626c653a20706175736564000000000000000000000000000000006044820152fd5b7fec442f05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b34610142575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261014257602060405160128152f35b346101425760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610142576107d3610bfe565b6107db610c21565b6044359073ffffffffffffffffffffffffffffffffffffffff831692835f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f20547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8110610857575b506102889350610c44565b8381106108fc5784156108d05733156108a457610288945f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f526020528360405f20910390558461084c565b7f94280d62000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b7fe602df05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b83907ffb8f41b2000000000000000000000000000000000000000000000000000000005f523360045260245260445260645ffd5b34610142575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610142576020600254604051908152f35b346101425760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610142576109a2610bfe565b6024359033156108d05773ffffffffffffffffffffffffffffffffffffffff169081156108a457335f52600160205260405f20825f526020528060405f20556040519081527f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b92560203392a3602060405160018152f35b34610142575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610142575f600354908160011c60018316928315610b3f575b60208210841461044f5781855284939081156103ef5750600114610ac5575003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01681019067ffffffffffffffff8211818310176103485761034482918260405282610bb6565b60035f90815291507fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b5b818310610b2357505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06102f8565b6020919350806001915483858801015201910190918392610aef565b90607f1690610a5b565b346101425760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610142576004358015158091036101425760ff7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00600654169116176006555f80f35b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602060409481855280519182918282880152018686015e5f8582860101520116010190565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361014257565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361014257565b73ffffffffffffffffffffffffffffffffffffffff16908115610d4b5773ffffffffffffffffffffffffffffffffffffffff169182156107375760ff600654166106d957815f52600560205260ff60405f2054161580610d34575b1561063e57815f525f60205260405f2054818110610d0257817fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef92602092855f525f84520360405f2055845f525f825260405f20818154019055604051908152a3565b827fe450d38c000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b50825f52600560205260ff60405f20541615610c9f565b7f96c6fd1e000000000000000000000000000000000000000000000000000000005f525f60045260245ffdfea164736f6c6343000825000a",
}

// FreezableToken is an auto generated Go binding around an Ethereum contract.
type FreezableToken struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *FreezableToken) GetABI() abi.ABI {
	return c.abi
}

// NewFreezableToken creates a new instance of FreezableToken.
func NewFreezableToken() *FreezableToken {
	parsed, err := FreezableTokenMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &FreezableToken{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *FreezableToken) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xdd62ed3e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function allowance(address owner, address spender) view returns(uint256)
func (freezableToken *FreezableToken) PackAllowance(owner common.Address, spender common.Address) []byte {
	enc, err := freezableToken.abi.Pack("allowance", owner, spender)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xdd62ed3e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function allowance(address owner, address spender) view returns(uint256)
func (freezableToken *FreezableToken) TryPackAllowance(owner common.Address, spender common.Address) ([]byte, error) {
	return freezableToken.abi.Pack("allowance", owner, spender)
}

// UnpackAllowance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xdd62ed3e.
//
// Solidity: function allowance(address owner, address spender) view returns(uint256)
func (freezableToken *FreezableToken) UnpackAllowance(data []byte) (*big.Int, error) {
	out, err := freezableToken.abi.Unpack("allowance", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackApprove is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x095ea7b3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function approve(address spender, uint256 value) returns(bool)
func (freezableToken *FreezableToken) PackApprove(spender common.Address, value *big.Int) []byte {
	enc, err := freezableToken.abi.Pack("approve", spender, value)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackApprove is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x095ea7b3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function approve(address spender, uint256 value) returns(bool)
func (freezableToken *FreezableToken) TryPackApprove(spender common.Address, value *big.Int) ([]byte, error) {
	return freezableToken.abi.Pack("approve", spender, value)
}

// UnpackApprove is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x095ea7b3.
//
// Solidity: function approve(address spender, uint256 value) returns(bool)
func (freezableToken *FreezableToken) UnpackApprove(data []byte) (bool, error) {
	out, err := freezableToken.abi.Unpack("approve", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackBalanceOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a08231.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function balanceOf(address account) view returns(uint256)
func (freezableToken *FreezableToken) PackBalanceOf(account common.Address) []byte {
	enc, err := freezableToken.abi.Pack("balanceOf", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBalanceOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a08231.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function balanceOf(address account) view returns(uint256)
func (freezableToken *FreezableToken) TryPackBalanceOf(account common.Address) ([]byte, error) {
	return freezableToken.abi.Pack("balanceOf", account)
}

// UnpackBalanceOf is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x70a08231.
//
// Solidity: function balanceOf(address account) view returns(uint256)
func (freezableToken *FreezableToken) UnpackBalanceOf(data []byte) (*big.Int, error) {
	out, err := freezableToken.abi.Unpack("balanceOf", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackDecimals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x313ce567.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function decimals() view returns(uint8)
func (freezableToken *FreezableToken) PackDecimals() []byte {
	enc, err := freezableToken.abi.Pack("decimals")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDecimals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x313ce567.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function decimals() view returns(uint8)
func (freezableToken *FreezableToken) TryPackDecimals() ([]byte, error) {
	return freezableToken.abi.Pack("decimals")
}

// UnpackDecimals is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x313ce567.
//
// Solidity: function decimals() view returns(uint8)
func (freezableToken *FreezableToken) UnpackDecimals(data []byte) (uint8, error) {
	out, err := freezableToken.abi.Unpack("decimals", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackFreeze is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xbf120ae5.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function freeze(address account, bool on) returns()
func (freezableToken *FreezableToken) PackFreeze(account common.Address, on bool) []byte {
	enc, err := freezableToken.abi.Pack("freeze", account, on)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFreeze is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xbf120ae5.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function freeze(address account, bool on) returns()
func (freezableToken *FreezableToken) TryPackFreeze(account common.Address, on bool) ([]byte, error) {
	return freezableToken.abi.Pack("freeze", account, on)
}

// PackFrozen is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd0516650.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function frozen(address ) view returns(bool)
func (freezableToken *FreezableToken) PackFrozen(arg0 common.Address) []byte {
	enc, err := freezableToken.abi.Pack("frozen", arg0)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFrozen is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd0516650.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function frozen(address ) view returns(bool)
func (freezableToken *FreezableToken) TryPackFrozen(arg0 common.Address) ([]byte, error) {
	return freezableToken.abi.Pack("frozen", arg0)
}

// UnpackFrozen is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xd0516650.
//
// Solidity: function frozen(address ) view returns(bool)
func (freezableToken *FreezableToken) UnpackFrozen(data []byte) (bool, error) {
	out, err := freezableToken.abi.Unpack("frozen", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackMint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x40c10f19.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function mint(address to, uint256 amount) returns()
func (freezableToken *FreezableToken) PackMint(to common.Address, amount *big.Int) []byte {
	enc, err := freezableToken.abi.Pack("mint", to, amount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x40c10f19.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function mint(address to, uint256 amount) returns()
func (freezableToken *FreezableToken) TryPackMint(to common.Address, amount *big.Int) ([]byte, error) {
	return freezableToken.abi.Pack("mint", to, amount)
}

// PackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function name() view returns(string)
func (freezableToken *FreezableToken) PackName() []byte {
	enc, err := freezableToken.abi.Pack("name")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function name() view returns(string)
func (freezableToken *FreezableToken) TryPackName() ([]byte, error) {
	return freezableToken.abi.Pack("name")
}

// UnpackName is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x06fdde03.
//
// Solidity: function name() view returns(string)
func (freezableToken *FreezableToken) UnpackName(data []byte) (string, error) {
	out, err := freezableToken.abi.Unpack("name", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackPause is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x02329a29.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function pause(bool on) returns()
func (freezableToken *FreezableToken) PackPause(on bool) []byte {
	enc, err := freezableToken.abi.Pack("pause", on)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPause is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x02329a29.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function pause(bool on) returns()
func (freezableToken *FreezableToken) TryPackPause(on bool) ([]byte, error) {
	return freezableToken.abi.Pack("pause", on)
}

// PackPaused is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5c975abb.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function paused() view returns(bool)
func (freezableToken *FreezableToken) PackPaused() []byte {
	enc, err := freezableToken.abi.Pack("paused")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPaused is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5c975abb.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function paused() view returns(bool)
func (freezableToken *FreezableToken) TryPackPaused() ([]byte, error) {
	return freezableToken.abi.Pack("paused")
}

// UnpackPaused is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5c975abb.
//
// Solidity: function paused() view returns(bool)
func (freezableToken *FreezableToken) UnpackPaused(data []byte) (bool, error) {
	out, err := freezableToken.abi.Unpack("paused", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackSymbol is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x95d89b41.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function symbol() view returns(string)
func (freezableToken *FreezableToken) PackSymbol() []byte {
	enc, err := freezableToken.abi.Pack("symbol")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSymbol is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x95d89b41.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function symbol() view returns(string)
func (freezableToken *FreezableToken) TryPackSymbol() ([]byte, error) {
	return freezableToken.abi.Pack("symbol")
}

// UnpackSymbol is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x95d89b41.
//
// Solidity: function symbol() view returns(string)
func (freezableToken *FreezableToken) UnpackSymbol(data []byte) (string, error) {
	out, err := freezableToken.abi.Unpack("symbol", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x18160ddd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function totalSupply() view returns(uint256)
func (freezableToken *FreezableToken) PackTotalSupply() []byte {
	enc, err := freezableToken.abi.Pack("totalSupply")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x18160ddd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function totalSupply() view returns(uint256)
func (freezableToken *FreezableToken) TryPackTotalSupply() ([]byte, error) {
	return freezableToken.abi.Pack("totalSupply")
}

// UnpackTotalSupply is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x18160ddd.
//
// Solidity: function totalSupply() view returns(uint256)
func (freezableToken *FreezableToken) UnpackTotalSupply(data []byte) (*big.Int, error) {
	out, err := freezableToken.abi.Unpack("totalSupply", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa9059cbb.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transfer(address to, uint256 value) returns(bool)
func (freezableToken *FreezableToken) PackTransfer(to common.Address, value *big.Int) []byte {
	enc, err := freezableToken.abi.Pack("transfer", to, value)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa9059cbb.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transfer(address to, uint256 value) returns(bool)
func (freezableToken *FreezableToken) TryPackTransfer(to common.Address, value *big.Int) ([]byte, error) {
	return freezableToken.abi.Pack("transfer", to, value)
}

// UnpackTransfer is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa9059cbb.
//
// Solidity: function transfer(address to, uint256 value) returns(bool)
func (freezableToken *FreezableToken) UnpackTransfer(data []byte) (bool, error) {
	out, err := freezableToken.abi.Unpack("transfer", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23b872dd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transferFrom(address from, address to, uint256 value) returns(bool)
func (freezableToken *FreezableToken) PackTransferFrom(from common.Address, to common.Address, value *big.Int) []byte {
	enc, err := freezableToken.abi.Pack("transferFrom", from, to, value)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23b872dd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transferFrom(address from, address to, uint256 value) returns(bool)
func (freezableToken *FreezableToken) TryPackTransferFrom(from common.Address, to common.Address, value *big.Int) ([]byte, error) {
	return freezableToken.abi.Pack("transferFrom", from, to, value)
}

// UnpackTransferFrom is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x23b872dd.
//
// Solidity: function transferFrom(address from, address to, uint256 value) returns(bool)
func (freezableToken *FreezableToken) UnpackTransferFrom(data []byte) (bool, error) {
	out, err := freezableToken.abi.Unpack("transferFrom", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// FreezableTokenApproval represents a Approval event raised by the FreezableToken contract.
type FreezableTokenApproval struct {
	Owner   common.Address
	Spender common.Address
	Value   *big.Int
	Raw     *types.Log // Blockchain specific contextual infos
}

const FreezableTokenApprovalEventName = "Approval"

// ContractEventName returns the user-defined event name.
func (FreezableTokenApproval) ContractEventName() string {
	return FreezableTokenApprovalEventName
}

// UnpackApprovalEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Approval(address indexed owner, address indexed spender, uint256 value)
func (freezableToken *FreezableToken) UnpackApprovalEvent(log *types.Log) (*FreezableTokenApproval, error) {
	event := "Approval"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != freezableToken.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(FreezableTokenApproval)
	if len(log.Data) > 0 {
		if err := freezableToken.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range freezableToken.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// FreezableTokenTransfer represents a Transfer event raised by the FreezableToken contract.
type FreezableTokenTransfer struct {
	From  common.Address
	To    common.Address
	Value *big.Int
	Raw   *types.Log // Blockchain specific contextual infos
}

const FreezableTokenTransferEventName = "Transfer"

// ContractEventName returns the user-defined event name.
func (FreezableTokenTransfer) ContractEventName() string {
	return FreezableTokenTransferEventName
}

// UnpackTransferEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Transfer(address indexed from, address indexed to, uint256 value)
func (freezableToken *FreezableToken) UnpackTransferEvent(log *types.Log) (*FreezableTokenTransfer, error) {
	event := "Transfer"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != freezableToken.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(FreezableTokenTransfer)
	if len(log.Data) > 0 {
		if err := freezableToken.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range freezableToken.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (freezableToken *FreezableToken) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], freezableToken.abi.Errors["ERC20InsufficientAllowance"].ID.Bytes()[:4]) {
		return freezableToken.UnpackERC20InsufficientAllowanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], freezableToken.abi.Errors["ERC20InsufficientBalance"].ID.Bytes()[:4]) {
		return freezableToken.UnpackERC20InsufficientBalanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], freezableToken.abi.Errors["ERC20InvalidApprover"].ID.Bytes()[:4]) {
		return freezableToken.UnpackERC20InvalidApproverError(raw[4:])
	}
	if bytes.Equal(raw[:4], freezableToken.abi.Errors["ERC20InvalidReceiver"].ID.Bytes()[:4]) {
		return freezableToken.UnpackERC20InvalidReceiverError(raw[4:])
	}
	if bytes.Equal(raw[:4], freezableToken.abi.Errors["ERC20InvalidSender"].ID.Bytes()[:4]) {
		return freezableToken.UnpackERC20InvalidSenderError(raw[4:])
	}
	if bytes.Equal(raw[:4], freezableToken.abi.Errors["ERC20InvalidSpender"].ID.Bytes()[:4]) {
		return freezableToken.UnpackERC20InvalidSpenderError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// FreezableTokenERC20InsufficientAllowance represents a ERC20InsufficientAllowance error raised by the FreezableToken contract.
type FreezableTokenERC20InsufficientAllowance struct {
	Spender   common.Address
	Allowance *big.Int
	Needed    *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
func FreezableTokenERC20InsufficientAllowanceErrorID() common.Hash {
	return common.HexToHash("0xfb8f41b23e99d2101d86da76cdfa87dd51c82ed07d3cb62cbc473e469dbc75c3")
}

// UnpackERC20InsufficientAllowanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
func (freezableToken *FreezableToken) UnpackERC20InsufficientAllowanceError(raw []byte) (*FreezableTokenERC20InsufficientAllowance, error) {
	out := new(FreezableTokenERC20InsufficientAllowance)
	if err := freezableToken.abi.UnpackIntoInterface(out, "ERC20InsufficientAllowance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// FreezableTokenERC20InsufficientBalance represents a ERC20InsufficientBalance error raised by the FreezableToken contract.
type FreezableTokenERC20InsufficientBalance struct {
	Sender  common.Address
	Balance *big.Int
	Needed  *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)
func FreezableTokenERC20InsufficientBalanceErrorID() common.Hash {
	return common.HexToHash("0xe450d38cd8d9f7d95077d567d60ed49c7254716e6ad08fc9872816c97e0ffec6")
}

// UnpackERC20InsufficientBalanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)
func (freezableToken *FreezableToken) UnpackERC20InsufficientBalanceError(raw []byte) (*FreezableTokenERC20InsufficientBalance, error) {
	out := new(FreezableTokenERC20InsufficientBalance)
	if err := freezableToken.abi.UnpackIntoInterface(out, "ERC20InsufficientBalance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// FreezableTokenERC20InvalidApprover represents a ERC20InvalidApprover error raised by the FreezableToken contract.
type FreezableTokenERC20InvalidApprover struct {
	Approver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InvalidApprover(address approver)
func FreezableTokenERC20InvalidApproverErrorID() common.Hash {
	return common.HexToHash("0xe602df05cc75712490294c6c104ab7c17f4030363910a7a2626411c6d3118847")
}

// UnpackERC20InvalidApproverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InvalidApprover(address approver)
func (freezableToken *FreezableToken) UnpackERC20InvalidApproverError(raw []byte) (*FreezableTokenERC20InvalidApprover, error) {
	out := new(FreezableTokenERC20InvalidApprover)
	if err := freezableToken.abi.UnpackIntoInterface(out, "ERC20InvalidApprover", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// FreezableTokenERC20InvalidReceiver represents a ERC20InvalidReceiver error raised by the FreezableToken contract.
type FreezableTokenERC20InvalidReceiver struct {
	Receiver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InvalidReceiver(address receiver)
func FreezableTokenERC20InvalidReceiverErrorID() common.Hash {
	return common.HexToHash("0xec442f055133b72f3b2f9f0bb351c406b178527de2040a7d1feb4e058771f613")
}

// UnpackERC20InvalidReceiverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InvalidReceiver(address receiver)
func (freezableToken *FreezableToken) UnpackERC20InvalidReceiverError(raw []byte) (*FreezableTokenERC20InvalidReceiver, error) {
	out := new(FreezableTokenERC20InvalidReceiver)
	if err := freezableToken.abi.UnpackIntoInterface(out, "ERC20InvalidReceiver", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// FreezableTokenERC20InvalidSender represents a ERC20InvalidSender error raised by the FreezableToken contract.
type FreezableTokenERC20InvalidSender struct {
	Sender common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InvalidSender(address sender)
func FreezableTokenERC20InvalidSenderErrorID() common.Hash {
	return common.HexToHash("0x96c6fd1edd0cd6ef7ff0ecc0facdf53148dc0048b57fe58af65755250a7a96bd")
}

// UnpackERC20InvalidSenderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InvalidSender(address sender)
func (freezableToken *FreezableToken) UnpackERC20InvalidSenderError(raw []byte) (*FreezableTokenERC20InvalidSender, error) {
	out := new(FreezableTokenERC20InvalidSender)
	if err := freezableToken.abi.UnpackIntoInterface(out, "ERC20InvalidSender", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// FreezableTokenERC20InvalidSpender represents a ERC20InvalidSpender error raised by the FreezableToken contract.
type FreezableTokenERC20InvalidSpender struct {
	Spender common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InvalidSpender(address spender)
func FreezableTokenERC20InvalidSpenderErrorID() common.Hash {
	return common.HexToHash("0x94280d62c347d8d9f4d59a76ea321452406db88df38e0c9da304f58b57b373a2")
}

// UnpackERC20InvalidSpenderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InvalidSpender(address spender)
func (freezableToken *FreezableToken) UnpackERC20InvalidSpenderError(raw []byte) (*FreezableTokenERC20InvalidSpender, error) {
	out := new(FreezableTokenERC20InvalidSpender)
	if err := freezableToken.abi.UnpackIntoInterface(out, "ERC20InvalidSpender", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// HostileSettlementMetaData contains all meta data concerning the HostileSettlement contract.
var HostileSettlementMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"enumHostileSettlement.Behaviour\",\"name\":\"behaviour_\",\"type\":\"uint8\"}],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[],\"name\":\"Hostile\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"behaviour\",\"outputs\":[{\"internalType\":\"enumHostileSettlement.Behaviour\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"target_\",\"type\":\"address\"},{\"internalType\":\"bytes\",\"name\":\"data_\",\"type\":\"bytes\"}],\"name\":\"callOnReceive\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"stateMutability\":\"payable\",\"type\":\"receive\"}]",
	ID:  "53ba261a8dc6b1beaa116382b5317c23e7",
	Bin: "0x608034605f57601f6106f938819003918201601f19168301916001600160401b03831184841017606357808492602094604052833981010312605f57516005811015605f5760ff80195f54169116175f5560405161068190816100788239f35b5f80fd5b634e487b7160e01b5f52604160045260245ffdfe60806040526004361015610022575b3615610018575f80fd5b61002061055b565b005b5f3560e01c80637daf4a98146100415763afcb17680361000e576100c1565b346100b3575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100b35760ff5f541660058110156100865760805260206080f35b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602160045260245ffd5b5f80fd5b6005111561008657565b346100b35760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100b35760043573ffffffffffffffffffffffffffffffffffffffff811681036100b3576024359067ffffffffffffffff82116100b357366023830112156100b35781600401359067ffffffffffffffff82116100b35736602483850101116100b3576024610020930190610239565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b90600182811c921680156101d0575b60208310146101a357565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b91607f1691610198565b90601f82116101e7575050565b8082116101f2575050565b60015f5260205f206020601f830160051c9210610231575b81601f9101920160051c03905f5b82811061022457505050565b5f82820155600101610218565b5f915061020a565b929190927fffffffffffffffffffffff0000000000000000000000000000000000000000ff74ffffffffffffffffffffffffffffffffffffffff005f549260081b169116175f5567ffffffffffffffff81116103b9576102a38161029e600154610189565b6101da565b5f601f82116001146102ff5781906102ef93945f926102f4575b50507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8260011b9260031b1c19161790565b600155565b013590505f806102bd565b60015f527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08216937fb10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf6915f5b8681106103a15750836001959610610369575b505050811b01600155565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff60f88560031b161c199101351690555f808061035e565b9092602060018192868601358155019401910161034b565b61015c565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81146103eb5760010190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff8211176103b957604052565b6001545f929161046882610189565b91600181169081156104ce5750600114610480575050565b60015f90815292935090917fb10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf65b8382106104ba5750500190565b6001816020925484860152019101906104ad565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0016825250811515909102019150565b3d15610556573d9067ffffffffffffffff82116103b9576040519161054b60207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f8401160184610418565b82523d5f602084013e565b606090565b5f5460ff811661056a816100b7565b6001811461064c5761057b816100b7565b600381146106455761058c816100b7565b600281146105e357806105a06004926100b7565b146105a85750565b5f90819060081c73ffffffffffffffffffffffffffffffffffffffff1660405182816105d381610459565b03925af1506105e06104fe565b50565b61063e805f5b61063961060d5a604051918291856020840160209093929193604081019481520152565b03907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe082018152610418565b6103be565b81906105e9565b620249f05ffd5b7f2fbac5c4000000000000000000000000000000000000000000000000000000005f5260045ffdfea164736f6c6343000825000a",
}

// HostileSettlement is an auto generated Go binding around an Ethereum contract.
type HostileSettlement struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *HostileSettlement) GetABI() abi.ABI {
	return c.abi
}

// NewHostileSettlement creates a new instance of HostileSettlement.
func NewHostileSettlement() *HostileSettlement {
	parsed, err := HostileSettlementMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &HostileSettlement{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *HostileSettlement) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackConstructor is the Go binding used to pack the parameters required for
// contract deployment.
//
// Solidity: constructor(uint8 behaviour_) returns()
func (hostileSettlement *HostileSettlement) PackConstructor(behaviour_ uint8) []byte {
	enc, err := hostileSettlement.abi.Pack("", behaviour_)
	if err != nil {
		panic(err)
	}
	return enc
}

// PackBehaviour is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7daf4a98.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function behaviour() view returns(uint8)
func (hostileSettlement *HostileSettlement) PackBehaviour() []byte {
	enc, err := hostileSettlement.abi.Pack("behaviour")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBehaviour is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7daf4a98.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function behaviour() view returns(uint8)
func (hostileSettlement *HostileSettlement) TryPackBehaviour() ([]byte, error) {
	return hostileSettlement.abi.Pack("behaviour")
}

// UnpackBehaviour is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x7daf4a98.
//
// Solidity: function behaviour() view returns(uint8)
func (hostileSettlement *HostileSettlement) UnpackBehaviour(data []byte) (uint8, error) {
	out, err := hostileSettlement.abi.Unpack("behaviour", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackCallOnReceive is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xafcb1768.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function callOnReceive(address target_, bytes data_) returns()
func (hostileSettlement *HostileSettlement) PackCallOnReceive(target common.Address, data []byte) []byte {
	enc, err := hostileSettlement.abi.Pack("callOnReceive", target, data)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCallOnReceive is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xafcb1768.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function callOnReceive(address target_, bytes data_) returns()
func (hostileSettlement *HostileSettlement) TryPackCallOnReceive(target common.Address, data []byte) ([]byte, error) {
	return hostileSettlement.abi.Pack("callOnReceive", target, data)
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (hostileSettlement *HostileSettlement) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], hostileSettlement.abi.Errors["Hostile"].ID.Bytes()[:4]) {
		return hostileSettlement.UnpackHostileError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// HostileSettlementHostile represents a Hostile error raised by the HostileSettlement contract.
type HostileSettlementHostile struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error Hostile()
func HostileSettlementHostileErrorID() common.Hash {
	return common.HexToHash("0x2fbac5c40d21578d7037f18c197120e96deb0767324d410f3c8afe8973e1d451")
}

// UnpackHostileError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error Hostile()
func (hostileSettlement *HostileSettlement) UnpackHostileError(raw []byte) (*HostileSettlementHostile, error) {
	out := new(HostileSettlementHostile)
	if err := hostileSettlement.abi.UnpackIntoInterface(out, "Hostile", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// HostileTokenMetaData contains all meta data concerning the HostileToken contract.
var HostileTokenMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"enumHostileToken.Behaviour\",\"name\":\"behaviour\",\"type\":\"uint8\"}],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"allowance\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"needed\",\"type\":\"uint256\"}],\"name\":\"ERC20InsufficientAllowance\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"balance\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"needed\",\"type\":\"uint256\"}],\"name\":\"ERC20InsufficientBalance\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"approver\",\"type\":\"address\"}],\"name\":\"ERC20InvalidApprover\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"}],\"name\":\"ERC20InvalidReceiver\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"}],\"name\":\"ERC20InvalidSender\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"}],\"name\":\"ERC20InvalidSpender\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"Hostile\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"Approval\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"Transfer\",\"type\":\"event\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"}],\"name\":\"allowance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"approve\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"balanceOf\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"target_\",\"type\":\"address\"},{\"internalType\":\"bytes\",\"name\":\"data_\",\"type\":\"bytes\"}],\"name\":\"callOnTransfer\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"decimals\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"mint\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"name\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"symbol\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"totalSupply\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"transfer\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"transferFrom\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "9dc361b4c350ffd38fb61ddc8a4285673f",
	Bin: "0x60a06040523461034a5761153e6020813803918261001c8161034e565b93849283398101031261034a5751600f81101561034a5761003d604061034e565b906007825266486f7374696c6560c81b602083015261005c604061034e565b6007815266484f5354494c4560c81b602082015282519091906001600160401b03811161025057600354600181811c91168015610340575b602082101461023257601f81116102d2575b506020601f821160011461026f57819293945f92610264575b50508160011b915f199060031b1c1916176003555b81516001600160401b03811161025057600454600181811c91168015610246575b602082101461023257601f81116101c4575b50602092601f821160011461016357928192935f92610158575b50508160011b915f199060031b1c1916176004555b6080526040516111ca908161037482396080518181816106540152610acb0152f35b015190505f80610121565b601f1982169360045f52805f20915f5b8681106101ac5750836001959610610194575b505050811b01600455610136565b01515f1960f88460031b161c191690555f8080610186565b91926020600181928685015181550194019201610173565b818111156101075760045f52601f820160051c7f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b6020841061022a575b81601f9101920160051c03905f5b82811061021d575050610107565b5f8282015560010161020f565b5f9150610201565b634e487b7160e01b5f52602260045260245ffd5b90607f16906100f5565b634e487b7160e01b5f52604160045260245ffd5b015190505f806100bf565b601f1982169060035f52805f20915f5b8181106102ba575095836001959697106102a2575b505050811b016003556100d4565b01515f1960f88460031b161c191690555f8080610294565b9192602060018192868b01518155019401920161027f565b818111156100a65760035f52601f820160051c7fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b60208410610338575b81601f9101920160051c03905f5b82811061032b5750506100a6565b5f8282015560010161031d565b5f915061030f565b90607f1690610094565b5f80fd5b6040519190601f01601f191682016001600160401b038111838210176102505760405256fe60806040526004361015610011575f80fd5b5f3560e01c806306fdde03146100c4578063095ea7b3146100bf57806318160ddd146100ba57806323b872dd146100b5578063313ce567146100b057806340c10f19146100ab57806370a08231146100a657806395d89b41146100a1578063a9059cbb1461009c578063d38c7816146100975763dd62ed3e14610092575f80fd5b610903565b61087e565b61082f565b61076c565b61061b565b610525565b6104ec565b6103d0565b610395565b610271565b610111565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602060409481855280519182918282880152018686015e5f8582860101520116010190565b34610227575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610227576040515f60035461014f81610994565b80845290600181169081156101e55750600114610187575b6101838361017781850382610a12565b604051918291826100c9565b0390f35b91905060035f527fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b915f905b8082106101cb57509091508101602001610177610167565b9192600181602092548385880101520191019092916101b3565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660208086019190915291151560051b840190910191506101779050610167565b5f80fd5b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361022757565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361022757565b346102275760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610227576102a861022b565b60243533156103695773ffffffffffffffffffffffffffffffffffffffff821691821561033d576103038291335f52600160205260405f209073ffffffffffffffffffffffffffffffffffffffff165f5260205260405f2090565b5560405190815233907f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b92590602090a3602060405160018152f35b7f94280d62000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b7fe602df05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b34610227575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610227576020600254604051908152f35b346102275760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102275761040761022b565b61040f61024e565b6044359073ffffffffffffffffffffffffffffffffffffffff83165f52600160205261045c3360405f209073ffffffffffffffffffffffffffffffffffffffff165f5260205260405f2090565b54927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff841061049c575b6104909350610e38565b60405160018152602090f35b8284106104b8576104b3836104909503338361114f565b610486565b82847ffb8f41b2000000000000000000000000000000000000000000000000000000005f523360045260245260445260645ffd5b34610227575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261022757602060405160128152f35b346102275760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102275761055c61022b565b60243573ffffffffffffffffffffffffffffffffffffffff82169182156105ef57600254908282018092116105ea575f926105db6020927fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef9460025573ffffffffffffffffffffffffffffffffffffffff165f525f60205260405f2090565b818154019055604051908152a3005b610a62565b7fec442f05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b346102275760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102275761065261022b565b7f0000000000000000000000000000000000000000000000000000000000000000600f81101561073f57600a8114610732575b61068e81610a58565b600b811461070a57806106a2600c92610a58565b146106e2576106d16101839173ffffffffffffffffffffffffffffffffffffffff165f525f60205260405f2090565b546040519081529081906020820190565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5f52601f5ff35b7f2fbac5c4000000000000000000000000000000000000000000000000000000005f5260045ffd5b61073a610f97565b610685565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602160045260245ffd5b34610227575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610227576040515f6004546107aa81610994565b80845290600181169081156101e557506001146107d1576101838361017781850382610a12565b91905060045f527f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b915f905b80821061081557509091508101602001610177610167565b9192600181602092548385880101520191019092916107fd565b346102275760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261022757602061087461086b61022b565b60243590610ac9565b6040519015158152f35b346102275760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610227576108b561022b565b6024359067ffffffffffffffff821161022757366023830112156102275781600401359067ffffffffffffffff8211610227573660248385010111610227576024610901930190610cbb565b005b346102275760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261022757602061098b61093f61022b565b73ffffffffffffffffffffffffffffffffffffffff61095c61024e565b91165f526001835260405f209073ffffffffffffffffffffffffffffffffffffffff165f5260205260405f2090565b54604051908152f35b90600182811c921680156109db575b60208310146109ae57565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b91607f16916109a3565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff821117610a5357604052565b6109e5565b600f111561073f57565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b907ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffcf2c082019182116105ea57565b919082039182116105ea57565b7f000000000000000000000000000000000000000000000000000000000000000091610af483610a58565b8215610c5557610b0383610a58565b600d8314610c4d57610b1483610a58565b6003831461070a57610b2583610a58565b60098314610c40575b610b3783610a58565b600e8314610c29575b610b4983610a58565b6004831461022757610b5a83610a58565b60088314610c2457610b9290610b6f84610a58565b60058414610c06575b610b8184610a58565b600684149283610bf9575b33610e38565b610b9b82610a58565b610bec575b610ba981610a58565b6001811461090157610bba81610a58565b60028114610be35780610bce600792610a58565b14610bd857600190565b60015f52620249f05ff35b60025f5260205ff35b610bf461106e565b610ba0565b610c0161106e565b610b8c565b610c1f90600a810490610c1a823033610e38565b610abc565b610b78565b610fe7565b610c325a610a8f565b5b805a11610c335750610b40565b610c48610f97565b610b2e565b505050600190565b5050505f90565b90601f8211610c69575050565b808211610c74575050565b60065f5260205f206020601f830160051c9210610cb3575b81601f9101920160051c03905f5b828110610ca657505050565b5f82820155600101610c9a565b5f9150610c8c565b73ffffffffffffffffffffffffffffffffffffffff9093929193167fffffffffffffffffffffffff0000000000000000000000000000000000000000600554161760055567ffffffffffffffff8111610a5357610d2281610d1d600654610994565b610c5c565b5f601f8211600114610d7e578190610d6e93945f92610d73575b50507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8260011b9260031b1c19161790565b600655565b013590505f80610d3c565b60065f527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08216937ff652222313e28459528d920b65115c16c04f3efc82aaedc97be59f3f377c0d3f915f5b868110610e205750836001959610610de8575b505050811b01600655565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff60f88560031b161c199101351690555f8080610ddd565b90926020600181928686013581550194019101610dca565b9173ffffffffffffffffffffffffffffffffffffffff8316918215610f6b5773ffffffffffffffffffffffffffffffffffffffff81169384156105ef57610e9c8173ffffffffffffffffffffffffffffffffffffffff165f525f60205260405f2090565b54838110610f3757610f32928492610ef87fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef96610f1c94039173ffffffffffffffffffffffffffffffffffffffff165f525f60205260405f2090565b5573ffffffffffffffffffffffffffffffffffffffff165f525f60205260405f2090565b8054820190556040519081529081906020820190565b0390a3565b8390857fe450d38c000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b7f96c6fd1e000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b505f5b610fb860605a60405190846020830152604082015260408152610a12565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81146105ea57600101610f9a565b7f2fbac5c4000000000000000000000000000000000000000000000000000000005f52620249f05ffd5b3d15611069573d9067ffffffffffffffff8211610a53576040519161105e60207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f8401160184610a12565b82523d5f602084013e565b606090565b73ffffffffffffffffffffffffffffffffffffffff600554168061108f5750565b6040515f60065461109f81610994565b906001811690811561111c57506001146110cd575b5091815f809493819403925af1506110ca611011565b50565b905060065f527ff652222313e28459528d920b65115c16c04f3efc82aaedc97be59f3f377c0d3f5f905b8282106111085750508101816110b4565b6001816020925484870152019101906110f7565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00168452508015150282019050816110b4565b73ffffffffffffffffffffffffffffffffffffffff169081156103695773ffffffffffffffffffffffffffffffffffffffff81161561033d576111ba915f52600160205260405f209073ffffffffffffffffffffffffffffffffffffffff165f5260205260405f2090565b5556fea164736f6c6343000825000a",
}

// HostileToken is an auto generated Go binding around an Ethereum contract.
type HostileToken struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *HostileToken) GetABI() abi.ABI {
	return c.abi
}

// NewHostileToken creates a new instance of HostileToken.
func NewHostileToken() *HostileToken {
	parsed, err := HostileTokenMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &HostileToken{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *HostileToken) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackConstructor is the Go binding used to pack the parameters required for
// contract deployment.
//
// Solidity: constructor(uint8 behaviour) returns()
func (hostileToken *HostileToken) PackConstructor(behaviour uint8) []byte {
	enc, err := hostileToken.abi.Pack("", behaviour)
	if err != nil {
		panic(err)
	}
	return enc
}

// PackAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xdd62ed3e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function allowance(address owner, address spender) view returns(uint256)
func (hostileToken *HostileToken) PackAllowance(owner common.Address, spender common.Address) []byte {
	enc, err := hostileToken.abi.Pack("allowance", owner, spender)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xdd62ed3e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function allowance(address owner, address spender) view returns(uint256)
func (hostileToken *HostileToken) TryPackAllowance(owner common.Address, spender common.Address) ([]byte, error) {
	return hostileToken.abi.Pack("allowance", owner, spender)
}

// UnpackAllowance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xdd62ed3e.
//
// Solidity: function allowance(address owner, address spender) view returns(uint256)
func (hostileToken *HostileToken) UnpackAllowance(data []byte) (*big.Int, error) {
	out, err := hostileToken.abi.Unpack("allowance", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackApprove is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x095ea7b3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function approve(address spender, uint256 value) returns(bool)
func (hostileToken *HostileToken) PackApprove(spender common.Address, value *big.Int) []byte {
	enc, err := hostileToken.abi.Pack("approve", spender, value)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackApprove is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x095ea7b3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function approve(address spender, uint256 value) returns(bool)
func (hostileToken *HostileToken) TryPackApprove(spender common.Address, value *big.Int) ([]byte, error) {
	return hostileToken.abi.Pack("approve", spender, value)
}

// UnpackApprove is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x095ea7b3.
//
// Solidity: function approve(address spender, uint256 value) returns(bool)
func (hostileToken *HostileToken) UnpackApprove(data []byte) (bool, error) {
	out, err := hostileToken.abi.Unpack("approve", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackBalanceOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a08231.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function balanceOf(address account) view returns(uint256)
func (hostileToken *HostileToken) PackBalanceOf(account common.Address) []byte {
	enc, err := hostileToken.abi.Pack("balanceOf", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBalanceOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a08231.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function balanceOf(address account) view returns(uint256)
func (hostileToken *HostileToken) TryPackBalanceOf(account common.Address) ([]byte, error) {
	return hostileToken.abi.Pack("balanceOf", account)
}

// UnpackBalanceOf is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x70a08231.
//
// Solidity: function balanceOf(address account) view returns(uint256)
func (hostileToken *HostileToken) UnpackBalanceOf(data []byte) (*big.Int, error) {
	out, err := hostileToken.abi.Unpack("balanceOf", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackCallOnTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd38c7816.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function callOnTransfer(address target_, bytes data_) returns()
func (hostileToken *HostileToken) PackCallOnTransfer(target common.Address, data []byte) []byte {
	enc, err := hostileToken.abi.Pack("callOnTransfer", target, data)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackCallOnTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xd38c7816.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function callOnTransfer(address target_, bytes data_) returns()
func (hostileToken *HostileToken) TryPackCallOnTransfer(target common.Address, data []byte) ([]byte, error) {
	return hostileToken.abi.Pack("callOnTransfer", target, data)
}

// PackDecimals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x313ce567.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function decimals() view returns(uint8)
func (hostileToken *HostileToken) PackDecimals() []byte {
	enc, err := hostileToken.abi.Pack("decimals")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDecimals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x313ce567.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function decimals() view returns(uint8)
func (hostileToken *HostileToken) TryPackDecimals() ([]byte, error) {
	return hostileToken.abi.Pack("decimals")
}

// UnpackDecimals is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x313ce567.
//
// Solidity: function decimals() view returns(uint8)
func (hostileToken *HostileToken) UnpackDecimals(data []byte) (uint8, error) {
	out, err := hostileToken.abi.Unpack("decimals", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackMint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x40c10f19.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function mint(address to, uint256 amount) returns()
func (hostileToken *HostileToken) PackMint(to common.Address, amount *big.Int) []byte {
	enc, err := hostileToken.abi.Pack("mint", to, amount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x40c10f19.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function mint(address to, uint256 amount) returns()
func (hostileToken *HostileToken) TryPackMint(to common.Address, amount *big.Int) ([]byte, error) {
	return hostileToken.abi.Pack("mint", to, amount)
}

// PackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function name() view returns(string)
func (hostileToken *HostileToken) PackName() []byte {
	enc, err := hostileToken.abi.Pack("name")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function name() view returns(string)
func (hostileToken *HostileToken) TryPackName() ([]byte, error) {
	return hostileToken.abi.Pack("name")
}

// UnpackName is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x06fdde03.
//
// Solidity: function name() view returns(string)
func (hostileToken *HostileToken) UnpackName(data []byte) (string, error) {
	out, err := hostileToken.abi.Unpack("name", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackSymbol is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x95d89b41.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function symbol() view returns(string)
func (hostileToken *HostileToken) PackSymbol() []byte {
	enc, err := hostileToken.abi.Pack("symbol")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSymbol is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x95d89b41.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function symbol() view returns(string)
func (hostileToken *HostileToken) TryPackSymbol() ([]byte, error) {
	return hostileToken.abi.Pack("symbol")
}

// UnpackSymbol is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x95d89b41.
//
// Solidity: function symbol() view returns(string)
func (hostileToken *HostileToken) UnpackSymbol(data []byte) (string, error) {
	out, err := hostileToken.abi.Unpack("symbol", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x18160ddd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function totalSupply() view returns(uint256)
func (hostileToken *HostileToken) PackTotalSupply() []byte {
	enc, err := hostileToken.abi.Pack("totalSupply")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x18160ddd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function totalSupply() view returns(uint256)
func (hostileToken *HostileToken) TryPackTotalSupply() ([]byte, error) {
	return hostileToken.abi.Pack("totalSupply")
}

// UnpackTotalSupply is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x18160ddd.
//
// Solidity: function totalSupply() view returns(uint256)
func (hostileToken *HostileToken) UnpackTotalSupply(data []byte) (*big.Int, error) {
	out, err := hostileToken.abi.Unpack("totalSupply", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa9059cbb.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transfer(address to, uint256 amount) returns(bool)
func (hostileToken *HostileToken) PackTransfer(to common.Address, amount *big.Int) []byte {
	enc, err := hostileToken.abi.Pack("transfer", to, amount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa9059cbb.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transfer(address to, uint256 amount) returns(bool)
func (hostileToken *HostileToken) TryPackTransfer(to common.Address, amount *big.Int) ([]byte, error) {
	return hostileToken.abi.Pack("transfer", to, amount)
}

// UnpackTransfer is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa9059cbb.
//
// Solidity: function transfer(address to, uint256 amount) returns(bool)
func (hostileToken *HostileToken) UnpackTransfer(data []byte) (bool, error) {
	out, err := hostileToken.abi.Unpack("transfer", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23b872dd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transferFrom(address from, address to, uint256 value) returns(bool)
func (hostileToken *HostileToken) PackTransferFrom(from common.Address, to common.Address, value *big.Int) []byte {
	enc, err := hostileToken.abi.Pack("transferFrom", from, to, value)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23b872dd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transferFrom(address from, address to, uint256 value) returns(bool)
func (hostileToken *HostileToken) TryPackTransferFrom(from common.Address, to common.Address, value *big.Int) ([]byte, error) {
	return hostileToken.abi.Pack("transferFrom", from, to, value)
}

// UnpackTransferFrom is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x23b872dd.
//
// Solidity: function transferFrom(address from, address to, uint256 value) returns(bool)
func (hostileToken *HostileToken) UnpackTransferFrom(data []byte) (bool, error) {
	out, err := hostileToken.abi.Unpack("transferFrom", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// HostileTokenApproval represents a Approval event raised by the HostileToken contract.
type HostileTokenApproval struct {
	Owner   common.Address
	Spender common.Address
	Value   *big.Int
	Raw     *types.Log // Blockchain specific contextual infos
}

const HostileTokenApprovalEventName = "Approval"

// ContractEventName returns the user-defined event name.
func (HostileTokenApproval) ContractEventName() string {
	return HostileTokenApprovalEventName
}

// UnpackApprovalEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Approval(address indexed owner, address indexed spender, uint256 value)
func (hostileToken *HostileToken) UnpackApprovalEvent(log *types.Log) (*HostileTokenApproval, error) {
	event := "Approval"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != hostileToken.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(HostileTokenApproval)
	if len(log.Data) > 0 {
		if err := hostileToken.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range hostileToken.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// HostileTokenTransfer represents a Transfer event raised by the HostileToken contract.
type HostileTokenTransfer struct {
	From  common.Address
	To    common.Address
	Value *big.Int
	Raw   *types.Log // Blockchain specific contextual infos
}

const HostileTokenTransferEventName = "Transfer"

// ContractEventName returns the user-defined event name.
func (HostileTokenTransfer) ContractEventName() string {
	return HostileTokenTransferEventName
}

// UnpackTransferEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Transfer(address indexed from, address indexed to, uint256 value)
func (hostileToken *HostileToken) UnpackTransferEvent(log *types.Log) (*HostileTokenTransfer, error) {
	event := "Transfer"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != hostileToken.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(HostileTokenTransfer)
	if len(log.Data) > 0 {
		if err := hostileToken.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range hostileToken.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (hostileToken *HostileToken) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], hostileToken.abi.Errors["ERC20InsufficientAllowance"].ID.Bytes()[:4]) {
		return hostileToken.UnpackERC20InsufficientAllowanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], hostileToken.abi.Errors["ERC20InsufficientBalance"].ID.Bytes()[:4]) {
		return hostileToken.UnpackERC20InsufficientBalanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], hostileToken.abi.Errors["ERC20InvalidApprover"].ID.Bytes()[:4]) {
		return hostileToken.UnpackERC20InvalidApproverError(raw[4:])
	}
	if bytes.Equal(raw[:4], hostileToken.abi.Errors["ERC20InvalidReceiver"].ID.Bytes()[:4]) {
		return hostileToken.UnpackERC20InvalidReceiverError(raw[4:])
	}
	if bytes.Equal(raw[:4], hostileToken.abi.Errors["ERC20InvalidSender"].ID.Bytes()[:4]) {
		return hostileToken.UnpackERC20InvalidSenderError(raw[4:])
	}
	if bytes.Equal(raw[:4], hostileToken.abi.Errors["ERC20InvalidSpender"].ID.Bytes()[:4]) {
		return hostileToken.UnpackERC20InvalidSpenderError(raw[4:])
	}
	if bytes.Equal(raw[:4], hostileToken.abi.Errors["Hostile"].ID.Bytes()[:4]) {
		return hostileToken.UnpackHostileError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// HostileTokenERC20InsufficientAllowance represents a ERC20InsufficientAllowance error raised by the HostileToken contract.
type HostileTokenERC20InsufficientAllowance struct {
	Spender   common.Address
	Allowance *big.Int
	Needed    *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
func HostileTokenERC20InsufficientAllowanceErrorID() common.Hash {
	return common.HexToHash("0xfb8f41b23e99d2101d86da76cdfa87dd51c82ed07d3cb62cbc473e469dbc75c3")
}

// UnpackERC20InsufficientAllowanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
func (hostileToken *HostileToken) UnpackERC20InsufficientAllowanceError(raw []byte) (*HostileTokenERC20InsufficientAllowance, error) {
	out := new(HostileTokenERC20InsufficientAllowance)
	if err := hostileToken.abi.UnpackIntoInterface(out, "ERC20InsufficientAllowance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// HostileTokenERC20InsufficientBalance represents a ERC20InsufficientBalance error raised by the HostileToken contract.
type HostileTokenERC20InsufficientBalance struct {
	Sender  common.Address
	Balance *big.Int
	Needed  *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)
func HostileTokenERC20InsufficientBalanceErrorID() common.Hash {
	return common.HexToHash("0xe450d38cd8d9f7d95077d567d60ed49c7254716e6ad08fc9872816c97e0ffec6")
}

// UnpackERC20InsufficientBalanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)
func (hostileToken *HostileToken) UnpackERC20InsufficientBalanceError(raw []byte) (*HostileTokenERC20InsufficientBalance, error) {
	out := new(HostileTokenERC20InsufficientBalance)
	if err := hostileToken.abi.UnpackIntoInterface(out, "ERC20InsufficientBalance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// HostileTokenERC20InvalidApprover represents a ERC20InvalidApprover error raised by the HostileToken contract.
type HostileTokenERC20InvalidApprover struct {
	Approver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InvalidApprover(address approver)
func HostileTokenERC20InvalidApproverErrorID() common.Hash {
	return common.HexToHash("0xe602df05cc75712490294c6c104ab7c17f4030363910a7a2626411c6d3118847")
}

// UnpackERC20InvalidApproverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InvalidApprover(address approver)
func (hostileToken *HostileToken) UnpackERC20InvalidApproverError(raw []byte) (*HostileTokenERC20InvalidApprover, error) {
	out := new(HostileTokenERC20InvalidApprover)
	if err := hostileToken.abi.UnpackIntoInterface(out, "ERC20InvalidApprover", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// HostileTokenERC20InvalidReceiver represents a ERC20InvalidReceiver error raised by the HostileToken contract.
type HostileTokenERC20InvalidReceiver struct {
	Receiver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InvalidReceiver(address receiver)
func HostileTokenERC20InvalidReceiverErrorID() common.Hash {
	return common.HexToHash("0xec442f055133b72f3b2f9f0bb351c406b178527de2040a7d1feb4e058771f613")
}

// UnpackERC20InvalidReceiverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InvalidReceiver(address receiver)
func (hostileToken *HostileToken) UnpackERC20InvalidReceiverError(raw []byte) (*HostileTokenERC20InvalidReceiver, error) {
	out := new(HostileTokenERC20InvalidReceiver)
	if err := hostileToken.abi.UnpackIntoInterface(out, "ERC20InvalidReceiver", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// HostileTokenERC20InvalidSender represents a ERC20InvalidSender error raised by the HostileToken contract.
type HostileTokenERC20InvalidSender struct {
	Sender common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InvalidSender(address sender)
func HostileTokenERC20InvalidSenderErrorID() common.Hash {
	return common.HexToHash("0x96c6fd1edd0cd6ef7ff0ecc0facdf53148dc0048b57fe58af65755250a7a96bd")
}

// UnpackERC20InvalidSenderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InvalidSender(address sender)
func (hostileToken *HostileToken) UnpackERC20InvalidSenderError(raw []byte) (*HostileTokenERC20InvalidSender, error) {
	out := new(HostileTokenERC20InvalidSender)
	if err := hostileToken.abi.UnpackIntoInterface(out, "ERC20InvalidSender", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// HostileTokenERC20InvalidSpender represents a ERC20InvalidSpender error raised by the HostileToken contract.
type HostileTokenERC20InvalidSpender struct {
	Spender common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InvalidSpender(address spender)
func HostileTokenERC20InvalidSpenderErrorID() common.Hash {
	return common.HexToHash("0x94280d62c347d8d9f4d59a76ea321452406db88df38e0c9da304f58b57b373a2")
}

// UnpackERC20InvalidSpenderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InvalidSpender(address spender)
func (hostileToken *HostileToken) UnpackERC20InvalidSpenderError(raw []byte) (*HostileTokenERC20InvalidSpender, error) {
	out := new(HostileTokenERC20InvalidSpender)
	if err := hostileToken.abi.UnpackIntoInterface(out, "ERC20InvalidSpender", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// HostileTokenHostile represents a Hostile error raised by the HostileToken contract.
type HostileTokenHostile struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error Hostile()
func HostileTokenHostileErrorID() common.Hash {
	return common.HexToHash("0x2fbac5c40d21578d7037f18c197120e96deb0767324d410f3c8afe8973e1d451")
}

// UnpackHostileError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error Hostile()
func (hostileToken *HostileToken) UnpackHostileError(raw []byte) (*HostileTokenHostile, error) {
	out := new(HostileTokenHostile)
	if err := hostileToken.abi.UnpackIntoInterface(out, "Hostile", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// MulticallMetaData contains all meta data concerning the Multicall contract.
var MulticallMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"name\":\"Failed\",\"type\":\"error\"},{\"inputs\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"target\",\"type\":\"address\"},{\"internalType\":\"bool\",\"name\":\"allowFailure\",\"type\":\"bool\"},{\"internalType\":\"bytes\",\"name\":\"callData\",\"type\":\"bytes\"}],\"internalType\":\"structMulticall.Call3[]\",\"name\":\"calls\",\"type\":\"tuple[]\"}],\"name\":\"aggregate3\",\"outputs\":[{\"components\":[{\"internalType\":\"bool\",\"name\":\"success\",\"type\":\"bool\"},{\"internalType\":\"bytes\",\"name\":\"returnData\",\"type\":\"bytes\"}],\"internalType\":\"structMulticall.Result[]\",\"name\":\"results\",\"type\":\"tuple[]\"}],\"stateMutability\":\"payable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"getBlockNumber\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"getCurrentBlockTimestamp\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"holder\",\"type\":\"address\"}],\"name\":\"getEthBalance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"}]",
	ID:  "284a4a55541715dbe2127d1373bf126ee2",
	Bin: "0x60808060405234601557610574908161001a8239f35b5f80fdfe6080806040526004361015610012575f80fd5b5f3560e01c9081630f28c97d146104345750806342cbb15c146103fc5780634d2301cc146103a1576382ad56cb14610048575f80fd5b60207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103485760043567ffffffffffffffff8111610348573660238201121561034857806004013567ffffffffffffffff8111610348576024820191602436918360051b010111610348576100c86100c3826104ce565b61048a565b918183527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06100f6836104ce565b015f5b8181106103815750505f5b8281106101d657836040518091602082016020835281518091526040830190602060408260051b8601019301915f905b82821061014357505050500390f35b919360206060827fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc060019597998495030186527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f84808c5180511515865201516040828601528051918291826040880152018686015e5f858286010152011601019601920192018594939192610134565b6101e18184846104e6565b3573ffffffffffffffffffffffffffffffffffffffff811681036103485761020a8285856104e6565b6040810135907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe18136030182121561034857019081359167ffffffffffffffff83116103485760200190823603821361034857825f80949381946040519384928337810182815203925af1903d15610379573d9167ffffffffffffffff831161034c576102be60207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f8601160161048a565b9283523d5f602085013e5b15808061032d575b610305576001926102e061046a565b9115825260208201526102f38287610553565b526102fe8186610553565b5001610104565b7f625a40e6000000000000000000000000000000000000000000000000000000005f5260045ffd5b50602061033b8387876104e6565b01358015908115146102d1575b5f80fd5b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b6060916102c9565b60209061038c61046a565b5f8152606083820152828288010152016100f9565b346103485760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126103485760043573ffffffffffffffffffffffffffffffffffffffff811681036103485760209031604051908152f35b34610348575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610348576020604051438152f35b34610348575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261034857602090428152f35b604051906040820182811067ffffffffffffffff82111761034c57604052565b907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f604051930116820182811067ffffffffffffffff82111761034c57604052565b67ffffffffffffffff811161034c5760051b60200190565b91908110156105265760051b810135907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa181360301821215610348570190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b80518210156105265760209160051b01019056fea164736f6c6343000825000a",
}

// Multicall is an auto generated Go binding around an Ethereum contract.
type Multicall struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *Multicall) GetABI() abi.ABI {
	return c.abi
}

// NewMulticall creates a new instance of Multicall.
func NewMulticall() *Multicall {
	parsed, err := MulticallMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &Multicall{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *Multicall) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackAggregate3 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x82ad56cb.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function aggregate3((address,bool,bytes)[] calls) payable returns((bool,bytes)[] results)
func (multicall *Multicall) PackAggregate3(calls []MulticallCall3) []byte {
	enc, err := multicall.abi.Pack("aggregate3", calls)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAggregate3 is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x82ad56cb.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function aggregate3((address,bool,bytes)[] calls) payable returns((bool,bytes)[] results)
func (multicall *Multicall) TryPackAggregate3(calls []MulticallCall3) ([]byte, error) {
	return multicall.abi.Pack("aggregate3", calls)
}

// UnpackAggregate3 is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x82ad56cb.
//
// Solidity: function aggregate3((address,bool,bytes)[] calls) payable returns((bool,bytes)[] results)
func (multicall *Multicall) UnpackAggregate3(data []byte) ([]MulticallResult, error) {
	out, err := multicall.abi.Unpack("aggregate3", data)
	if err != nil {
		return *new([]MulticallResult), err
	}
	out0 := *abi.ConvertType(out[0], new([]MulticallResult)).(*[]MulticallResult)
	return out0, nil
}

// PackGetBlockNumber is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x42cbb15c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getBlockNumber() view returns(uint256)
func (multicall *Multicall) PackGetBlockNumber() []byte {
	enc, err := multicall.abi.Pack("getBlockNumber")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetBlockNumber is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x42cbb15c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getBlockNumber() view returns(uint256)
func (multicall *Multicall) TryPackGetBlockNumber() ([]byte, error) {
	return multicall.abi.Pack("getBlockNumber")
}

// UnpackGetBlockNumber is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x42cbb15c.
//
// Solidity: function getBlockNumber() view returns(uint256)
func (multicall *Multicall) UnpackGetBlockNumber(data []byte) (*big.Int, error) {
	out, err := multicall.abi.Unpack("getBlockNumber", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetCurrentBlockTimestamp is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0f28c97d.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getCurrentBlockTimestamp() view returns(uint256)
func (multicall *Multicall) PackGetCurrentBlockTimestamp() []byte {
	enc, err := multicall.abi.Pack("getCurrentBlockTimestamp")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetCurrentBlockTimestamp is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x0f28c97d.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getCurrentBlockTimestamp() view returns(uint256)
func (multicall *Multicall) TryPackGetCurrentBlockTimestamp() ([]byte, error) {
	return multicall.abi.Pack("getCurrentBlockTimestamp")
}

// UnpackGetCurrentBlockTimestamp is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x0f28c97d.
//
// Solidity: function getCurrentBlockTimestamp() view returns(uint256)
func (multicall *Multicall) UnpackGetCurrentBlockTimestamp(data []byte) (*big.Int, error) {
	out, err := multicall.abi.Unpack("getCurrentBlockTimestamp", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackGetEthBalance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4d2301cc.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getEthBalance(address holder) view returns(uint256)
func (multicall *Multicall) PackGetEthBalance(holder common.Address) []byte {
	enc, err := multicall.abi.Pack("getEthBalance", holder)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetEthBalance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x4d2301cc.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getEthBalance(address holder) view returns(uint256)
func (multicall *Multicall) TryPackGetEthBalance(holder common.Address) ([]byte, error) {
	return multicall.abi.Pack("getEthBalance", holder)
}

// UnpackGetEthBalance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x4d2301cc.
//
// Solidity: function getEthBalance(address holder) view returns(uint256)
func (multicall *Multicall) UnpackGetEthBalance(data []byte) (*big.Int, error) {
	out, err := multicall.abi.Unpack("getEthBalance", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (multicall *Multicall) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], multicall.abi.Errors["Failed"].ID.Bytes()[:4]) {
		return multicall.UnpackFailedError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// MulticallFailed represents a Failed error raised by the Multicall contract.
type MulticallFailed struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error Failed()
func MulticallFailedErrorID() common.Hash {
	return common.HexToHash("0x625a40e68d9554793bf647bf32e4885e7f15bd1bfac262906cc7d26f376f20a2")
}

// UnpackFailedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error Failed()
func (multicall *Multicall) UnpackFailedError(raw []byte) (*MulticallFailed, error) {
	out := new(MulticallFailed)
	if err := multicall.abi.UnpackIntoInterface(out, "Failed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// OpenZeppelinClonesMetaData contains all meta data concerning the OpenZeppelinClones contract.
var OpenZeppelinClonesMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"name\":\"CloneArgumentsTooLong\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"clone\",\"type\":\"address\"}],\"name\":\"fetchArgs\",\"outputs\":[{\"internalType\":\"bytes\",\"name\":\"\",\"type\":\"bytes\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"implementation\",\"type\":\"address\"},{\"internalType\":\"bytes\",\"name\":\"args\",\"type\":\"bytes\"},{\"internalType\":\"bytes32\",\"name\":\"salt\",\"type\":\"bytes32\"},{\"internalType\":\"address\",\"name\":\"deployer\",\"type\":\"address\"}],\"name\":\"predict\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"pure\",\"type\":\"function\"}]",
	ID:  "694ac4b7f9e44cc77f4c6f5cb4c13e9fb0",
	Bin: "0x6080806040523460155761048d908161001a8239f35b5f80fdfe60806040526004361015610011575f80fd5b5f3560e01c806333818d40146102b35763fce573ba1461002f575f80fd5b346102af5760807ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102af576100666103b5565b6024359067ffffffffffffffff82116102af57366023830112156102af5781600401359167ffffffffffffffff83116102af5736602484830101116102af576064359273ffffffffffffffffffffffffffffffffffffffff841684036102af575f60206100d283610446565b926100e060405194856103d8565b8084528060248386019601863783010152615fd381511161028757805193602d850180951161025a576020947fffffffffffffffffffffffffffffffffffffffff000000000000000000000000610235605773ffffffffffffffffffffffffffffffffffffffff97605597600b976040519586937fffff0000000000000000000000000000000000000000000000000000000000008e8601997f61000000000000000000000000000000000000000000000000000000000000008b5260f01b1660218601527f3d81600a3d39f3363d3d373d3d3d363d73000000000000000000000000000000602386015260601b1660348401527f5af43d82803e903d91602b57fd5bf3000000000000000000000000000000000060488401525180918484015e81015f8382015203017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe081018352826103d8565b519020906040519160408301526044358683015281520160ff81532016604051908152f35b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b7f94289054000000000000000000000000000000000000000000000000000000005f5260045ffd5b5f80fd5b346102af5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102af576102ea6103b5565b803b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffd3810190811161025a578061033a610325604093610446565b91610332845193846103d8565b808352610446565b927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0602083019401368537602d848351923c7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f8351948593602085525180918160208701528686015e5f85828601015201168101030190f35b6004359073ffffffffffffffffffffffffffffffffffffffff821682036102af57565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff82111761041957604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b67ffffffffffffffff811161041957601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0166020019056fea164736f6c6343000825000a",
}

// OpenZeppelinClones is an auto generated Go binding around an Ethereum contract.
type OpenZeppelinClones struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *OpenZeppelinClones) GetABI() abi.ABI {
	return c.abi
}

// NewOpenZeppelinClones creates a new instance of OpenZeppelinClones.
func NewOpenZeppelinClones() *OpenZeppelinClones {
	parsed, err := OpenZeppelinClonesMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &OpenZeppelinClones{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *OpenZeppelinClones) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackFetchArgs is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x33818d40.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function fetchArgs(address clone) view returns(bytes)
func (openZeppelinClones *OpenZeppelinClones) PackFetchArgs(clone common.Address) []byte {
	enc, err := openZeppelinClones.abi.Pack("fetchArgs", clone)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFetchArgs is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x33818d40.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function fetchArgs(address clone) view returns(bytes)
func (openZeppelinClones *OpenZeppelinClones) TryPackFetchArgs(clone common.Address) ([]byte, error) {
	return openZeppelinClones.abi.Pack("fetchArgs", clone)
}

// UnpackFetchArgs is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x33818d40.
//
// Solidity: function fetchArgs(address clone) view returns(bytes)
func (openZeppelinClones *OpenZeppelinClones) UnpackFetchArgs(data []byte) ([]byte, error) {
	out, err := openZeppelinClones.abi.Unpack("fetchArgs", data)
	if err != nil {
		return *new([]byte), err
	}
	out0 := *abi.ConvertType(out[0], new([]byte)).(*[]byte)
	return out0, nil
}

// PackPredict is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfce573ba.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function predict(address implementation, bytes args, bytes32 salt, address deployer) pure returns(address)
func (openZeppelinClones *OpenZeppelinClones) PackPredict(implementation common.Address, args []byte, salt [32]byte, deployer common.Address) []byte {
	enc, err := openZeppelinClones.abi.Pack("predict", implementation, args, salt, deployer)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackPredict is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfce573ba.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function predict(address implementation, bytes args, bytes32 salt, address deployer) pure returns(address)
func (openZeppelinClones *OpenZeppelinClones) TryPackPredict(implementation common.Address, args []byte, salt [32]byte, deployer common.Address) ([]byte, error) {
	return openZeppelinClones.abi.Pack("predict", implementation, args, salt, deployer)
}

// UnpackPredict is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfce573ba.
//
// Solidity: function predict(address implementation, bytes args, bytes32 salt, address deployer) pure returns(address)
func (openZeppelinClones *OpenZeppelinClones) UnpackPredict(data []byte) (common.Address, error) {
	out, err := openZeppelinClones.abi.Unpack("predict", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (openZeppelinClones *OpenZeppelinClones) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], openZeppelinClones.abi.Errors["CloneArgumentsTooLong"].ID.Bytes()[:4]) {
		return openZeppelinClones.UnpackCloneArgumentsTooLongError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// OpenZeppelinClonesCloneArgumentsTooLong represents a CloneArgumentsTooLong error raised by the OpenZeppelinClones contract.
type OpenZeppelinClonesCloneArgumentsTooLong struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error CloneArgumentsTooLong()
func OpenZeppelinClonesCloneArgumentsTooLongErrorID() common.Hash {
	return common.HexToHash("0x94289054871591d3430cc609d2f0e85b3474ba36313e71e06c09c95ae956555b")
}

// UnpackCloneArgumentsTooLongError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error CloneArgumentsTooLong()
func (openZeppelinClones *OpenZeppelinClones) UnpackCloneArgumentsTooLongError(raw []byte) (*OpenZeppelinClonesCloneArgumentsTooLong, error) {
	out := new(OpenZeppelinClonesCloneArgumentsTooLong)
	if err := openZeppelinClones.abi.UnpackIntoInterface(out, "CloneArgumentsTooLong", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// TestFeedMetaData contains all meta data concerning the TestFeed contract.
var TestFeedMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"string\",\"name\":\"description_\",\"type\":\"string\"},{\"internalType\":\"uint8\",\"name\":\"decimals_\",\"type\":\"uint8\"}],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[],\"name\":\"decimals\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"description\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"latestRoundData\",\"outputs\":[{\"internalType\":\"uint80\",\"name\":\"roundId\",\"type\":\"uint80\"},{\"internalType\":\"int256\",\"name\":\"answer_\",\"type\":\"int256\"},{\"internalType\":\"uint256\",\"name\":\"startedAt\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"updatedAt_\",\"type\":\"uint256\"},{\"internalType\":\"uint80\",\"name\":\"answeredInRound\",\"type\":\"uint80\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"int256\",\"name\":\"answer_\",\"type\":\"int256\"},{\"internalType\":\"uint256\",\"name\":\"updatedAt_\",\"type\":\"uint256\"}],\"name\":\"set\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"stop\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "20db071ab3a20fa24723a7d8a9e0b38bd8",
	Bin: "0x60806040523461021a57610683803803806100198161021e565b92833981019060408183031261021a5780516001600160401b03811161021a5781019082601f8301121561021a5781516001600160401b0381116102065761006a601f8201601f191660200161021e565b938185526020828501011161021a576020815f92828096018388015e85010152015160ff811680910361021a5781516001600160401b038111610206575f54600181811c911680156101fc575b60208210146101e857601f811161017b575b50602092601f821160011461011c57928192935f92610111575b50508160011b915f199060031b1c1916175f555b60ff19600154161760015560405161043f90816102448239f35b015190505f806100e3565b601f198216935f8052805f20915f5b868110610163575083600195961061014b575b505050811b015f556100f7565b01515f1960f88460031b161c191690555f808061013e565b9192602060018192868501518155019401920161012b565b818111156100c9575f8052601f820160051c7f290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563602084106101e0575b81601f9101920160051c03905f5b8281106101d35750506100c9565b5f828201556001016101c5565b5f91506101b7565b634e487b7160e01b5f52602260045260245ffd5b90607f16906100b7565b634e487b7160e01b5f52604160045260245ffd5b5f80fd5b6040519190601f01601f191682016001600160401b038111838210176102065760405256fe6080806040526004361015610012575f80fd5b5f3560e01c90816307da68f5146103d7578163313ce5671461039c575080637284e4161461017a578063a22c5540146101165763feaf968c14610053575f80fd5b34610112575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101125760ff600454166100b45760a060025460035460405191600183526020830152806040830152606082015260016080820152f35b60646040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152600760248201527f72657469726564000000000000000000000000000000000000000000000000006044820152fd5b5f80fd5b346101125760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610112576004803560025560243560035580547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00169055005b34610112575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610112576040515f5f548060011c9160018216928315610394575b602081108414610367578085526020850193859381156103105750600114610298575b5003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01682019167ffffffffffffffff83118184101761026b577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f6040938593848652602085525180918160208701528686015e5f85828601015201168101030190f35b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b5f80805291507f290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e5635b8183106102f457505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06101e2565b60209193508060019154838589010152019101909184926102c0565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0016855250151560051b820160200190507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06101e2565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b607f166101bf565b34610112575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101125760209060ff600154168152f35b34610112575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261011257600480547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0016600117905500fea164736f6c6343000825000a",
}

// TestFeed is an auto generated Go binding around an Ethereum contract.
type TestFeed struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *TestFeed) GetABI() abi.ABI {
	return c.abi
}

// NewTestFeed creates a new instance of TestFeed.
func NewTestFeed() *TestFeed {
	parsed, err := TestFeedMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &TestFeed{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *TestFeed) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackConstructor is the Go binding used to pack the parameters required for
// contract deployment.
//
// Solidity: constructor(string description_, uint8 decimals_) returns()
func (testFeed *TestFeed) PackConstructor(description_ string, decimals_ uint8) []byte {
	enc, err := testFeed.abi.Pack("", description_, decimals_)
	if err != nil {
		panic(err)
	}
	return enc
}

// PackDecimals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x313ce567.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function decimals() view returns(uint8)
func (testFeed *TestFeed) PackDecimals() []byte {
	enc, err := testFeed.abi.Pack("decimals")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDecimals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x313ce567.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function decimals() view returns(uint8)
func (testFeed *TestFeed) TryPackDecimals() ([]byte, error) {
	return testFeed.abi.Pack("decimals")
}

// UnpackDecimals is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x313ce567.
//
// Solidity: function decimals() view returns(uint8)
func (testFeed *TestFeed) UnpackDecimals(data []byte) (uint8, error) {
	out, err := testFeed.abi.Unpack("decimals", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackDescription is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7284e416.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function description() view returns(string)
func (testFeed *TestFeed) PackDescription() []byte {
	enc, err := testFeed.abi.Pack("description")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDescription is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x7284e416.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function description() view returns(string)
func (testFeed *TestFeed) TryPackDescription() ([]byte, error) {
	return testFeed.abi.Pack("description")
}

// UnpackDescription is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x7284e416.
//
// Solidity: function description() view returns(string)
func (testFeed *TestFeed) UnpackDescription(data []byte) (string, error) {
	out, err := testFeed.abi.Unpack("description", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackLatestRoundData is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfeaf968c.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function latestRoundData() view returns(uint80 roundId, int256 answer_, uint256 startedAt, uint256 updatedAt_, uint80 answeredInRound)
func (testFeed *TestFeed) PackLatestRoundData() []byte {
	enc, err := testFeed.abi.Pack("latestRoundData")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackLatestRoundData is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xfeaf968c.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function latestRoundData() view returns(uint80 roundId, int256 answer_, uint256 startedAt, uint256 updatedAt_, uint80 answeredInRound)
func (testFeed *TestFeed) TryPackLatestRoundData() ([]byte, error) {
	return testFeed.abi.Pack("latestRoundData")
}

// LatestRoundDataOutput serves as a container for the return parameters of contract
// method LatestRoundData.
type LatestRoundDataOutput struct {
	RoundId         *big.Int
	Answer          *big.Int
	StartedAt       *big.Int
	UpdatedAt       *big.Int
	AnsweredInRound *big.Int
}

// UnpackLatestRoundData is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xfeaf968c.
//
// Solidity: function latestRoundData() view returns(uint80 roundId, int256 answer_, uint256 startedAt, uint256 updatedAt_, uint80 answeredInRound)
func (testFeed *TestFeed) UnpackLatestRoundData(data []byte) (LatestRoundDataOutput, error) {
	out, err := testFeed.abi.Unpack("latestRoundData", data)
	outstruct := new(LatestRoundDataOutput)
	if err != nil {
		return *outstruct, err
	}
	outstruct.RoundId = abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	outstruct.Answer = abi.ConvertType(out[1], new(big.Int)).(*big.Int)
	outstruct.StartedAt = abi.ConvertType(out[2], new(big.Int)).(*big.Int)
	outstruct.UpdatedAt = abi.ConvertType(out[3], new(big.Int)).(*big.Int)
	outstruct.AnsweredInRound = abi.ConvertType(out[4], new(big.Int)).(*big.Int)
	return *outstruct, nil
}

// PackSet is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa22c5540.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function set(int256 answer_, uint256 updatedAt_) returns()
func (testFeed *TestFeed) PackSet(answer *big.Int, updatedAt *big.Int) []byte {
	enc, err := testFeed.abi.Pack("set", answer, updatedAt)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSet is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa22c5540.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function set(int256 answer_, uint256 updatedAt_) returns()
func (testFeed *TestFeed) TryPackSet(answer *big.Int, updatedAt *big.Int) ([]byte, error) {
	return testFeed.abi.Pack("set", answer, updatedAt)
}

// PackStop is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x07da68f5.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function stop() returns()
func (testFeed *TestFeed) PackStop() []byte {
	enc, err := testFeed.abi.Pack("stop")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackStop is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x07da68f5.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function stop() returns()
func (testFeed *TestFeed) TryPackStop() ([]byte, error) {
	return testFeed.abi.Pack("stop")
}

// TestTokenMetaData contains all meta data concerning the TestToken contract.
var TestTokenMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[{\"internalType\":\"string\",\"name\":\"name_\",\"type\":\"string\"},{\"internalType\":\"string\",\"name\":\"symbol_\",\"type\":\"string\"},{\"internalType\":\"uint8\",\"name\":\"decimals_\",\"type\":\"uint8\"}],\"stateMutability\":\"nonpayable\",\"type\":\"constructor\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"allowance\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"needed\",\"type\":\"uint256\"}],\"name\":\"ERC20InsufficientAllowance\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"balance\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"needed\",\"type\":\"uint256\"}],\"name\":\"ERC20InsufficientBalance\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"approver\",\"type\":\"address\"}],\"name\":\"ERC20InvalidApprover\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"receiver\",\"type\":\"address\"}],\"name\":\"ERC20InvalidReceiver\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"sender\",\"type\":\"address\"}],\"name\":\"ERC20InvalidSender\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"}],\"name\":\"ERC20InvalidSpender\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"Approval\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"Transfer\",\"type\":\"event\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"owner\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"}],\"name\":\"allowance\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"spender\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"approve\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"account\",\"type\":\"address\"}],\"name\":\"balanceOf\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"decimals\",\"outputs\":[{\"internalType\":\"uint8\",\"name\":\"\",\"type\":\"uint8\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"mint\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"name\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"symbol\",\"outputs\":[{\"internalType\":\"string\",\"name\":\"\",\"type\":\"string\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"totalSupply\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"transfer\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"from\",\"type\":\"address\"},{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"},{\"internalType\":\"uint256\",\"name\":\"value\",\"type\":\"uint256\"}],\"name\":\"transferFrom\",\"outputs\":[{\"internalType\":\"bool\",\"name\":\"\",\"type\":\"bool\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "a1c7a176194a98d14bf4c0bdad8e5b9ee4",
	Bin: "0x60a06040523461034657610e17803803806100198161034a565b9283398101906060818303126103465780516001600160401b038111610346578261004591830161036f565b60208201519092906001600160401b0381116103465760409161006991840161036f565b91015160ff811681036103465782516001600160401b03811161024c57600354600181811c9116801561033c575b602082101461022e57601f81116102ce575b506020601f821160011461026b57819293945f92610260575b50508160011b915f199060031b1c1916176003555b81516001600160401b03811161024c57600454600181811c91168015610242575b602082101461022e57601f81116101c0575b50602092601f821160011461015f57928192935f92610154575b50508160011b915f199060031b1c1916176004555b608052604051610a5690816103c18239608051816104f40152f35b015190505f80610124565b601f1982169360045f52805f20915f5b8681106101a85750836001959610610190575b505050811b01600455610139565b01515f1960f88460031b161c191690555f8080610182565b9192602060018192868501518155019401920161016f565b8181111561010a5760045f52601f820160051c7f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b60208410610226575b81601f9101920160051c03905f5b82811061021957505061010a565b5f8282015560010161020b565b5f91506101fd565b634e487b7160e01b5f52602260045260245ffd5b90607f16906100f8565b634e487b7160e01b5f52604160045260245ffd5b015190505f806100c2565b601f1982169060035f52805f20915f5b8181106102b65750958360019596971061029e575b505050811b016003556100d7565b01515f1960f88460031b161c191690555f8080610290565b9192602060018192868b01518155019401920161027b565b818111156100a95760035f52601f820160051c7fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b60208410610334575b81601f9101920160051c03905f5b8281106103275750506100a9565b5f82820155600101610319565b5f915061030b565b90607f1690610097565b5f80fd5b6040519190601f01601f191682016001600160401b0381118382101761024c57604052565b81601f82011215610346578051906001600160401b03821161024c5761039e601f8301601f191660200161034a565b928284526020838301011161034657815f9260208093018386015e830101529056fe6080806040526004361015610012575f80fd5b5f3560e01c90816306fdde031461079457508063095ea7b3146106e757806318160ddd146106ac57806323b872dd14610518578063313ce567146104bd57806340c10f19146103be57806370a082311461035c57806395d89b4114610169578063a9059cbb1461011a5763dd62ed3e1461008a575f80fd5b346101165760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610116576100c161090d565b73ffffffffffffffffffffffffffffffffffffffff6100de610930565b91165f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060405f2054604051908152f35b5f80fd5b346101165760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101165761015e61015461090d565b6024359033610953565b602060405160018152f35b34610116575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610116576040515f600454908160011c60018316928315610352575b6020821084146103255781855284939081156102c5575060011461024b575b5003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01681019067ffffffffffffffff82118183101761021e5761021a829182604052826108c5565b0390f35b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b60045f90815291507f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b5b8183106102a957505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06101ce565b6020919350806001915483858801015201910190918392610275565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660208581019190915291151560051b840190910191507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe090506101ce565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b90607f16906101af565b346101165760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101165773ffffffffffffffffffffffffffffffffffffffff6103a861090d565b165f525f602052602060405f2054604051908152f35b346101165760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610116576103f561090d565b73ffffffffffffffffffffffffffffffffffffffff16602435811561049157600254908082018092116104645760207fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef915f9360025584845283825260408420818154019055604051908152a3005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b7fec442f05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b34610116575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261011657602060405160ff7f0000000000000000000000000000000000000000000000000000000000000000168152f35b346101165760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101165761054f61090d565b610557610930565b6044359073ffffffffffffffffffffffffffffffffffffffff831692835f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f20547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81106105d3575b5061015e9350610953565b83811061067857841561064c5733156106205761015e945f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f526020528360405f2091039055846105c8565b7f94280d62000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b7fe602df05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b83907ffb8f41b2000000000000000000000000000000000000000000000000000000005f523360045260245260445260645ffd5b34610116575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610116576020600254604051908152f35b346101165760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101165761071e61090d565b60243590331561064c5773ffffffffffffffffffffffffffffffffffffffff1690811561062057335f52600160205260405f20825f526020528060405f20556040519081527f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b92560203392a3602060405160018152f35b34610116575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610116575f600354908160011c600183169283156108bb575b6020821084146103255781855284939081156102c55750600114610841575003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01681019067ffffffffffffffff82118183101761021e5761021a829182604052826108c5565b60035f90815291507fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b5b81831061089f57505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06101ce565b602091935080600191548385880101520191019091839261086b565b90607f16906107d7565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602060409481855280519182918282880152018686015e5f8582860101520116010190565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361011657565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361011657565b73ffffffffffffffffffffffffffffffffffffffff16908115610a1d5773ffffffffffffffffffffffffffffffffffffffff1691821561049157815f525f60205260405f20548181106109eb57817fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef92602092855f525f84520360405f2055845f525f825260405f20818154019055604051908152a3565b827fe450d38c000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b7f96c6fd1e000000000000000000000000000000000000000000000000000000005f525f60045260245ffdfea164736f6c6343000825000a",
}

// TestToken is an auto generated Go binding around an Ethereum contract.
type TestToken struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *TestToken) GetABI() abi.ABI {
	return c.abi
}

// NewTestToken creates a new instance of TestToken.
func NewTestToken() *TestToken {
	parsed, err := TestTokenMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &TestToken{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *TestToken) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackConstructor is the Go binding used to pack the parameters required for
// contract deployment.
//
// Solidity: constructor(string name_, string symbol_, uint8 decimals_) returns()
func (testToken *TestToken) PackConstructor(name_ string, symbol_ string, decimals_ uint8) []byte {
	enc, err := testToken.abi.Pack("", name_, symbol_, decimals_)
	if err != nil {
		panic(err)
	}
	return enc
}

// PackAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xdd62ed3e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function allowance(address owner, address spender) view returns(uint256)
func (testToken *TestToken) PackAllowance(owner common.Address, spender common.Address) []byte {
	enc, err := testToken.abi.Pack("allowance", owner, spender)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackAllowance is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xdd62ed3e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function allowance(address owner, address spender) view returns(uint256)
func (testToken *TestToken) TryPackAllowance(owner common.Address, spender common.Address) ([]byte, error) {
	return testToken.abi.Pack("allowance", owner, spender)
}

// UnpackAllowance is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xdd62ed3e.
//
// Solidity: function allowance(address owner, address spender) view returns(uint256)
func (testToken *TestToken) UnpackAllowance(data []byte) (*big.Int, error) {
	out, err := testToken.abi.Unpack("allowance", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackApprove is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x095ea7b3.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function approve(address spender, uint256 value) returns(bool)
func (testToken *TestToken) PackApprove(spender common.Address, value *big.Int) []byte {
	enc, err := testToken.abi.Pack("approve", spender, value)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackApprove is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x095ea7b3.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function approve(address spender, uint256 value) returns(bool)
func (testToken *TestToken) TryPackApprove(spender common.Address, value *big.Int) ([]byte, error) {
	return testToken.abi.Pack("approve", spender, value)
}

// UnpackApprove is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x095ea7b3.
//
// Solidity: function approve(address spender, uint256 value) returns(bool)
func (testToken *TestToken) UnpackApprove(data []byte) (bool, error) {
	out, err := testToken.abi.Unpack("approve", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackBalanceOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a08231.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function balanceOf(address account) view returns(uint256)
func (testToken *TestToken) PackBalanceOf(account common.Address) []byte {
	enc, err := testToken.abi.Pack("balanceOf", account)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackBalanceOf is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x70a08231.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function balanceOf(address account) view returns(uint256)
func (testToken *TestToken) TryPackBalanceOf(account common.Address) ([]byte, error) {
	return testToken.abi.Pack("balanceOf", account)
}

// UnpackBalanceOf is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x70a08231.
//
// Solidity: function balanceOf(address account) view returns(uint256)
func (testToken *TestToken) UnpackBalanceOf(data []byte) (*big.Int, error) {
	out, err := testToken.abi.Unpack("balanceOf", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackDecimals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x313ce567.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function decimals() view returns(uint8)
func (testToken *TestToken) PackDecimals() []byte {
	enc, err := testToken.abi.Pack("decimals")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackDecimals is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x313ce567.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function decimals() view returns(uint8)
func (testToken *TestToken) TryPackDecimals() ([]byte, error) {
	return testToken.abi.Pack("decimals")
}

// UnpackDecimals is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x313ce567.
//
// Solidity: function decimals() view returns(uint8)
func (testToken *TestToken) UnpackDecimals(data []byte) (uint8, error) {
	out, err := testToken.abi.Unpack("decimals", data)
	if err != nil {
		return *new(uint8), err
	}
	out0 := *abi.ConvertType(out[0], new(uint8)).(*uint8)
	return out0, nil
}

// PackMint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x40c10f19.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function mint(address to, uint256 amount) returns()
func (testToken *TestToken) PackMint(to common.Address, amount *big.Int) []byte {
	enc, err := testToken.abi.Pack("mint", to, amount)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackMint is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x40c10f19.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function mint(address to, uint256 amount) returns()
func (testToken *TestToken) TryPackMint(to common.Address, amount *big.Int) ([]byte, error) {
	return testToken.abi.Pack("mint", to, amount)
}

// PackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function name() view returns(string)
func (testToken *TestToken) PackName() []byte {
	enc, err := testToken.abi.Pack("name")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackName is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x06fdde03.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function name() view returns(string)
func (testToken *TestToken) TryPackName() ([]byte, error) {
	return testToken.abi.Pack("name")
}

// UnpackName is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x06fdde03.
//
// Solidity: function name() view returns(string)
func (testToken *TestToken) UnpackName(data []byte) (string, error) {
	out, err := testToken.abi.Unpack("name", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackSymbol is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x95d89b41.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function symbol() view returns(string)
func (testToken *TestToken) PackSymbol() []byte {
	enc, err := testToken.abi.Pack("symbol")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSymbol is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x95d89b41.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function symbol() view returns(string)
func (testToken *TestToken) TryPackSymbol() ([]byte, error) {
	return testToken.abi.Pack("symbol")
}

// UnpackSymbol is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x95d89b41.
//
// Solidity: function symbol() view returns(string)
func (testToken *TestToken) UnpackSymbol(data []byte) (string, error) {
	out, err := testToken.abi.Unpack("symbol", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x18160ddd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function totalSupply() view returns(uint256)
func (testToken *TestToken) PackTotalSupply() []byte {
	enc, err := testToken.abi.Pack("totalSupply")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTotalSupply is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x18160ddd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function totalSupply() view returns(uint256)
func (testToken *TestToken) TryPackTotalSupply() ([]byte, error) {
	return testToken.abi.Pack("totalSupply")
}

// UnpackTotalSupply is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x18160ddd.
//
// Solidity: function totalSupply() view returns(uint256)
func (testToken *TestToken) UnpackTotalSupply(data []byte) (*big.Int, error) {
	out, err := testToken.abi.Unpack("totalSupply", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa9059cbb.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transfer(address to, uint256 value) returns(bool)
func (testToken *TestToken) PackTransfer(to common.Address, value *big.Int) []byte {
	enc, err := testToken.abi.Pack("transfer", to, value)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransfer is the Go binding used to pack the parameters required for calling
// the contract method with ID 0xa9059cbb.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transfer(address to, uint256 value) returns(bool)
func (testToken *TestToken) TryPackTransfer(to common.Address, value *big.Int) ([]byte, error) {
	return testToken.abi.Pack("transfer", to, value)
}

// UnpackTransfer is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0xa9059cbb.
//
// Solidity: function transfer(address to, uint256 value) returns(bool)
func (testToken *TestToken) UnpackTransfer(data []byte) (bool, error) {
	out, err := testToken.abi.Unpack("transfer", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// PackTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23b872dd.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function transferFrom(address from, address to, uint256 value) returns(bool)
func (testToken *TestToken) PackTransferFrom(from common.Address, to common.Address, value *big.Int) []byte {
	enc, err := testToken.abi.Pack("transferFrom", from, to, value)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackTransferFrom is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x23b872dd.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function transferFrom(address from, address to, uint256 value) returns(bool)
func (testToken *TestToken) TryPackTransferFrom(from common.Address, to common.Address, value *big.Int) ([]byte, error) {
	return testToken.abi.Pack("transferFrom", from, to, value)
}

// UnpackTransferFrom is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x23b872dd.
//
// Solidity: function transferFrom(address from, address to, uint256 value) returns(bool)
func (testToken *TestToken) UnpackTransferFrom(data []byte) (bool, error) {
	out, err := testToken.abi.Unpack("transferFrom", data)
	if err != nil {
		return *new(bool), err
	}
	out0 := *abi.ConvertType(out[0], new(bool)).(*bool)
	return out0, nil
}

// TestTokenApproval represents a Approval event raised by the TestToken contract.
type TestTokenApproval struct {
	Owner   common.Address
	Spender common.Address
	Value   *big.Int
	Raw     *types.Log // Blockchain specific contextual infos
}

const TestTokenApprovalEventName = "Approval"

// ContractEventName returns the user-defined event name.
func (TestTokenApproval) ContractEventName() string {
	return TestTokenApprovalEventName
}

// UnpackApprovalEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Approval(address indexed owner, address indexed spender, uint256 value)
func (testToken *TestToken) UnpackApprovalEvent(log *types.Log) (*TestTokenApproval, error) {
	event := "Approval"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != testToken.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(TestTokenApproval)
	if len(log.Data) > 0 {
		if err := testToken.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range testToken.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// TestTokenTransfer represents a Transfer event raised by the TestToken contract.
type TestTokenTransfer struct {
	From  common.Address
	To    common.Address
	Value *big.Int
	Raw   *types.Log // Blockchain specific contextual infos
}

const TestTokenTransferEventName = "Transfer"

// ContractEventName returns the user-defined event name.
func (TestTokenTransfer) ContractEventName() string {
	return TestTokenTransferEventName
}

// UnpackTransferEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Transfer(address indexed from, address indexed to, uint256 value)
func (testToken *TestToken) UnpackTransferEvent(log *types.Log) (*TestTokenTransfer, error) {
	event := "Transfer"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != testToken.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(TestTokenTransfer)
	if len(log.Data) > 0 {
		if err := testToken.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range testToken.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (testToken *TestToken) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], testToken.abi.Errors["ERC20InsufficientAllowance"].ID.Bytes()[:4]) {
		return testToken.UnpackERC20InsufficientAllowanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], testToken.abi.Errors["ERC20InsufficientBalance"].ID.Bytes()[:4]) {
		return testToken.UnpackERC20InsufficientBalanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], testToken.abi.Errors["ERC20InvalidApprover"].ID.Bytes()[:4]) {
		return testToken.UnpackERC20InvalidApproverError(raw[4:])
	}
	if bytes.Equal(raw[:4], testToken.abi.Errors["ERC20InvalidReceiver"].ID.Bytes()[:4]) {
		return testToken.UnpackERC20InvalidReceiverError(raw[4:])
	}
	if bytes.Equal(raw[:4], testToken.abi.Errors["ERC20InvalidSender"].ID.Bytes()[:4]) {
		return testToken.UnpackERC20InvalidSenderError(raw[4:])
	}
	if bytes.Equal(raw[:4], testToken.abi.Errors["ERC20InvalidSpender"].ID.Bytes()[:4]) {
		return testToken.UnpackERC20InvalidSpenderError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// TestTokenERC20InsufficientAllowance represents a ERC20InsufficientAllowance error raised by the TestToken contract.
type TestTokenERC20InsufficientAllowance struct {
	Spender   common.Address
	Allowance *big.Int
	Needed    *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
func TestTokenERC20InsufficientAllowanceErrorID() common.Hash {
	return common.HexToHash("0xfb8f41b23e99d2101d86da76cdfa87dd51c82ed07d3cb62cbc473e469dbc75c3")
}

// UnpackERC20InsufficientAllowanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
func (testToken *TestToken) UnpackERC20InsufficientAllowanceError(raw []byte) (*TestTokenERC20InsufficientAllowance, error) {
	out := new(TestTokenERC20InsufficientAllowance)
	if err := testToken.abi.UnpackIntoInterface(out, "ERC20InsufficientAllowance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// TestTokenERC20InsufficientBalance represents a ERC20InsufficientBalance error raised by the TestToken contract.
type TestTokenERC20InsufficientBalance struct {
	Sender  common.Address
	Balance *big.Int
	Needed  *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)
func TestTokenERC20InsufficientBalanceErrorID() common.Hash {
	return common.HexToHash("0xe450d38cd8d9f7d95077d567d60ed49c7254716e6ad08fc9872816c97e0ffec6")
}

// UnpackERC20InsufficientBalanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)
func (testToken *TestToken) UnpackERC20InsufficientBalanceError(raw []byte) (*TestTokenERC20InsufficientBalance, error) {
	out := new(TestTokenERC20InsufficientBalance)
	if err := testToken.abi.UnpackIntoInterface(out, "ERC20InsufficientBalance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// TestTokenERC20InvalidApprover represents a ERC20InvalidApprover error raised by the TestToken contract.
type TestTokenERC20InvalidApprover struct {
	Approver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InvalidApprover(address approver)
func TestTokenERC20InvalidApproverErrorID() common.Hash {
	return common.HexToHash("0xe602df05cc75712490294c6c104ab7c17f4030363910a7a2626411c6d3118847")
}

// UnpackERC20InvalidApproverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InvalidApprover(address approver)
func (testToken *TestToken) UnpackERC20InvalidApproverError(raw []byte) (*TestTokenERC20InvalidApprover, error) {
	out := new(TestTokenERC20InvalidApprover)
	if err := testToken.abi.UnpackIntoInterface(out, "ERC20InvalidApprover", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// TestTokenERC20InvalidReceiver represents a ERC20InvalidReceiver error raised by the TestToken contract.
type TestTokenERC20InvalidReceiver struct {
	Receiver common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InvalidReceiver(address receiver)
func TestTokenERC20InvalidReceiverErrorID() common.Hash {
	return common.HexToHash("0xec442f055133b72f3b2f9f0bb351c406b178527de2040a7d1feb4e058771f613")
}

// UnpackERC20InvalidReceiverError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InvalidReceiver(address receiver)
func (testToken *TestToken) UnpackERC20InvalidReceiverError(raw []byte) (*TestTokenERC20InvalidReceiver, error) {
	out := new(TestTokenERC20InvalidReceiver)
	if err := testToken.abi.UnpackIntoInterface(out, "ERC20InvalidReceiver", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// TestTokenERC20InvalidSender represents a ERC20InvalidSender error raised by the TestToken contract.
type TestTokenERC20InvalidSender struct {
	Sender common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InvalidSender(address sender)
func TestTokenERC20InvalidSenderErrorID() common.Hash {
	return common.HexToHash("0x96c6fd1edd0cd6ef7ff0ecc0facdf53148dc0048b57fe58af65755250a7a96bd")
}

// UnpackERC20InvalidSenderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InvalidSender(address sender)
func (testToken *TestToken) UnpackERC20InvalidSenderError(raw []byte) (*TestTokenERC20InvalidSender, error) {
	out := new(TestTokenERC20InvalidSender)
	if err := testToken.abi.UnpackIntoInterface(out, "ERC20InvalidSender", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// TestTokenERC20InvalidSpender represents a ERC20InvalidSpender error raised by the TestToken contract.
type TestTokenERC20InvalidSpender struct {
	Spender common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ERC20InvalidSpender(address spender)
func TestTokenERC20InvalidSpenderErrorID() common.Hash {
	return common.HexToHash("0x94280d62c347d8d9f4d59a76ea321452406db88df38e0c9da304f58b57b373a2")
}

// UnpackERC20InvalidSpenderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ERC20InvalidSpender(address spender)
func (testToken *TestToken) UnpackERC20InvalidSpenderError(raw []byte) (*TestTokenERC20InvalidSpender, error) {
	out := new(TestTokenERC20InvalidSpender)
	if err := testToken.abi.UnpackIntoInterface(out, "ERC20InvalidSpender", raw); err != nil {
		return nil, err
	}
	return out, nil
}
